package net.oooops.sigma.plugins.faultinjection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext.Counter;
import org.jspecify.annotations.Nullable;

/** Delays some requests, and answers some with a failure. What is delayed waits for a timer, and holds no thread. */
final class FaultInjection implements Plugin {
    private final Condition condition;
    private final @Nullable Delay delay;
    private final @Nullable Abort abort;
    private final AtomicInteger delayedNow = new AtomicInteger();

    /**
     * What is delayed.
     *
     * @param percent of how many of a hundred
     * @param millisMin the least
     * @param millisMax the most
     * @param atOnceMax how many may wait at a time; others don't
     */
    record Delay(int percent, long millisMin, long millisMax, int atOnceMax, Counter delayed, Counter undelayed) {}

    /**
     * What fails.
     *
     * @param percent of how many of a hundred
     */
    record Abort(int percent, Outcome answer) {}

    FaultInjection(Condition condition, @Nullable Delay delay, @Nullable Abort abort) {
        this.condition = condition;
        this.delay = delay;
        this.abort = abort;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        if (!condition.holds(exchange.request())) {
            return Outcome.CONTINUE;
        }
        Outcome then = abort != null && isDrawn(abort.percent()) ? abort.answer() : Outcome.CONTINUE;
        if (delay == null || !isDrawn(delay.percent())) {
            return then;
        }
        if (exchange.isShadow()) {
            // Also in shadow it would be waited for: that is felt.
            exchange.shadowed("delay");
            return then;
        }
        return delayed(delay, then);
    }

    private Outcome delayed(Delay by, Outcome then) {
        if (delayedNow.incrementAndGet() > by.atOnceMax()) {
            delayedNow.decrementAndGet();
            by.undelayed().increment();
            return then;
        }
        by.delayed().increment();
        long millis = ThreadLocalRandom.current().nextLong(by.millisMin(), by.millisMax() + 1);
        CompletableFuture<Outcome> later = new CompletableFuture<>();
        // Also of an exchange that is gone: it goes on to be counted until its time is over.
        CompletableFuture<Outcome> after = later.completeOnTimeout(then, millis, TimeUnit.MILLISECONDS)
                .whenComplete((outcome, failure) -> {
                    delayedNow.decrementAndGet();
                });
        return Outcome.suspend(after);
    }

    private static boolean isDrawn(int percent) {
        return percent == 100 || ThreadLocalRandom.current().nextInt(100) < percent;
    }
}
