package net.oooops.sigma.api;

import java.util.concurrent.CompletionStage;

/** What a plugin decides after it saw a request or a response. */
public sealed interface Outcome {
    /** The way goes on with the next plugin. */
    record Continue() implements Outcome {}

    /**
     * The exchange is answered with {@code response}. On the request's way no later plugin sees the request and nothing goes
     * upstream; plugins that already saw it see the response. On the response's way it takes the place of the upstream's.
     */
    record Respond(Response response) implements Outcome {}

    /**
     * The exchange is parked, and goes on with the outcome that {@code next} gives, on its own event loop whichever thread
     * completes it. Failing, or taking longer than {@code timeouts.plugin}, it ends the exchange as a plugin's failure.
     */
    record Suspend(CompletionStage<? extends Outcome> next) implements Outcome {}

    /** {@link Continue}, without an allocation. */
    Outcome CONTINUE = new Continue();

    /** A {@link Respond} with that response; keep it where the response is always the same. */
    static Outcome respond(Response response) {
        return new Respond(response);
    }

    /** A {@link Suspend} until {@code next} completes. */
    static Outcome suspend(CompletionStage<? extends Outcome> next) {
        return new Suspend(next);
    }
}
