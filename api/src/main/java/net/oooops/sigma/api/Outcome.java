package net.oooops.sigma.api;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a plugin decides after it saw a request or a response. */
public sealed interface Outcome {
    /** The way goes on with the next plugin. */
    record Continue() implements Outcome {}

    /**
     * The exchange is answered with {@code response}. On the request's way no later plugin sees the request and nothing goes
     * upstream; plugins that already saw it see the response. On the response's way it takes the place of the upstream's.
     *
     * @param reason why, where that is to be counted and to stand in the access log
     */
    record Respond(Response response, @Nullable Reason reason) implements Outcome {
        /** An answer for no reason that is to be told. */
        public Respond(Response response) {
            this(response, null);
        }
    }

    /**
     * The exchange fails with {@code fault}: its client gets the gateway's own answer, the page that sigma.json may have for the status included,
     * and log and counters show that fault. In all else as {@link Respond}.
     *
     * @param reason why, where that is to be counted and to stand in the access log, in the place of the fault
     */
    record Refuse(Fault fault, @Nullable Reason reason) implements Outcome {
        /** For no reason but the fault. */
        public Refuse(Fault fault) {
            this(fault, null);
        }

        /** @throws IllegalArgumentException where nobody is answered after {@code fault} */
        public Refuse {
            if (fault.isClientLost()) {
                throw new IllegalArgumentException(fault + " (expected: a fault whose client is answered)");
            }
        }
    }

    /**
     * The exchange is parked, and goes on with the outcome that {@code next} gives, on its own event loop whichever thread
     * completes it. Failing, or taking longer than {@code timeouts.plugin}, it ends the exchange as a plugin's failure.
     */
    record Suspend(CompletionStage<? extends Outcome> next) implements Outcome {}

    /**
     * What a {@link Suspend} may come to where the exchange is to be changed: the step is called on the exchange's event loop, while the exchange is
     * there, and what it decides counts. So the answer of a lookup can change the request. Where the exchange didn't wait any longer it isn't called.
     */
    record Then(Step step) implements Outcome {}

    /** A step of a plugin on the exchange's event loop. */
    @FunctionalInterface
    interface Step {
        /** Changes the exchange and decides. An exception ends the exchange as a plugin's failure. */
        Outcome apply(Exchange exchange) throws Exception;
    }

    /** {@link Continue}, without an allocation. */
    Outcome CONTINUE = new Continue();

    /** A {@link Respond} with that response; keep it where the response is always the same. */
    static Outcome respond(Response response) {
        return new Respond(response);
    }

    /** A {@link Refuse} with that fault; keep it where the fault is always the same. */
    static Outcome refuse(Fault fault) {
        return new Refuse(fault);
    }

    /** A {@link Suspend} until {@code next} completes. */
    static Outcome suspend(CompletionStage<? extends Outcome> next) {
        return new Suspend(next);
    }

    /** A {@link Then} of that step. */
    static Outcome then(Step step) {
        return new Then(step);
    }
}
