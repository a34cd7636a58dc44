package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.config.BreakerConfig;

/**
 * How many requests an Upstream may have without an answer, as found out by a {@link Gradient}, and how many there are, over all Workers. Two
 * Breakers may have the same one: the one that was there before, for what it let in, and the one that holds.
 *
 * <p>Any thread, {@link #tick} always the same one; never waits.
 */
final class AdaptiveLimit {
    private final Bound unanswered = new Bound(BreakerConfig.NONE);
    private final BreakerConfig.Adaptive config;
    private final Gradient gradient;
    private final LongAdder answers = new LongAdder();
    private final LongAdder latencyNanos = new LongAdder();
    private volatile int most;

    // Of the thread that ticks

    private long answersSeen;
    private long latencySeen;
    private long refusedSeen;

    AdaptiveLimit(BreakerConfig.Adaptive config) {
        this.config = config;
        this.gradient = new Gradient(config);
        this.most = gradient.limit();
    }

    /** Whether it is what that asks for. */
    boolean isBy(BreakerConfig.Adaptive other) {
        return config.equals(other);
    }

    /** Those in flight whose answers haven't begun. */
    Bound unanswered() {
        return unanswered;
    }

    /** How many of them there may be. */
    int most() {
        return most;
    }

    /** Whether there is room for one more; then it is taken. */
    boolean tryTake() {
        return unanswered.tryTake(most);
    }

    /** An answer took so long to begin. */
    void answered(long nanos) {
        answers.increment();
        latencyNanos.add(nanos);
    }

    /** Time has passed. */
    void tick(long nowNanos) {
        long answersNow = answers.sum();
        long latencyNow = latencyNanos.sum();
        long refused = unanswered.refusedCount();
        int waiting = refused == refusedSeen ? unanswered.count() : most;
        gradient.look(nowNanos, answersNow - answersSeen, (double) (latencyNow - latencySeen), waiting);
        answersSeen = answersNow;
        latencySeen = latencyNow;
        refusedSeen = refused;
        most = gradient.limit();
    }
}
