package net.oooops.sigma.upstream;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.config.BreakerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens where too many of an Upstream's requests fail, over all Workers, and closes when a few that try it out go well.
 *
 * <pre>
 *   CLOSED ─ too many fail ─▶ OPEN ─ its time is over ─▶ HALF_OPEN ─ all trials go well ─▶ CLOSED
 *                              ▲                            │
 *                              └──────── one fails ─────────┘
 * </pre>
 *
 * <p>It opens only where a request has just failed: not when good answers become too old to count. A request counts only for the
 * time in which it was let in: one that was sent before it opened, or as a trial of an earlier time, says nothing of how it is now.
 *
 * <p>Any thread, {@link #tick} always the same one; never waits.
 */
final class ErrorRate {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorRate.class);

    /** The interval moves on by such parts of it. */
    private static final int PARTS = 10;

    /** How it stands. */
    enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /**
     * How it stands for a time, and what became of those that it let in.
     *
     * @param untilNanos when it stops being open
     * @param admission what those are let in by, whom it lets in
     * @param trialsLeft how many more it lets in where it is half open
     * @param trialsPassed how many of these went well
     */
    private record Standing(
            State state,
            long untilNanos,
            Breaker.Admission admission,
            AtomicInteger trialsLeft,
            AtomicInteger trialsPassed) {
        static Standing closed() {
            return new Standing(State.CLOSED, 0, Breaker.Admission.passed(), new AtomicInteger(), new AtomicInteger());
        }

        static Standing open(long untilNanos) {
            return new Standing(State.OPEN, untilNanos, Breaker.OPEN, new AtomicInteger(), new AtomicInteger());
        }

        static Standing halfOpen(int trials) {
            return new Standing(
                    State.HALF_OPEN, 0, Breaker.Admission.trial(), new AtomicInteger(trials), new AtomicInteger());
        }

        boolean takeTrial() {
            int left = trialsLeft.get();
            while (left > 0) {
                if (trialsLeft.compareAndSet(left, left - 1)) {
                    return true;
                }
                left = trialsLeft.get();
            }
            return false;
        }
    }

    private final String upstreamId;
    private final BreakerConfig config;
    private final AtomicReference<Standing> standing = new AtomicReference<>(Standing.closed());
    private final LongAdder requests = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final AtomicLong openings = new AtomicLong();

    // Of the thread that ticks

    private final long[] requestsOf = new long[PARTS];
    private final long[] failuresOf = new long[PARTS];
    /** When trials were last let through. */
    private long trialsNanos;

    private int part;
    private long partNanos;
    private long requestsSeen;
    private long failuresSeen;

    ErrorRate(String upstreamId, BreakerConfig config) {
        this.upstreamId = upstreamId;
        this.config = config;
    }

    /** Whether it is what that asks for. */
    boolean isBy(BreakerConfig other) {
        return config.errorPercent() == other.errorPercent()
                && config.intervalNanos() == other.intervalNanos()
                && config.requestsMin() == other.requestsMin()
                && config.openNanos() == other.openNanos()
                && config.trials() == other.trials();
    }

    State state() {
        return standing.get().state;
    }

    /** When it stops being open; of no meaning where it isn't. */
    long untilNanos() {
        return standing.get().untilNanos;
    }

    long openingCount() {
        return openings.get();
    }

    /**
     * Whether a request may pass: as a trial where it is half open. One that may is to be followed by one {@link #judged} or
     * {@link #undecided}.
     */
    Breaker.Admission admit() {
        Standing now = standing.get();
        return now.state == State.HALF_OPEN && !now.takeTrial() ? Breaker.OPEN : now.admission;
    }

    /** So a request ended that was let in. */
    void judged(Breaker.Admission admission, boolean failed, long nowNanos) {
        Standing now = standing.get();
        if (now.admission != admission) {
            return;
        }
        if (admission.isTrial()) {
            tried(now, failed, nowNanos);
        } else {
            requests.increment();
            if (failed) {
                failures.increment();
            }
        }
    }

    private void tried(Standing now, boolean failed, long nowNanos) {
        if (failed) {
            if (open(now, nowNanos)) {
                LOG.warn("upstream {}: breaker open again for {} ms, a trial failed", upstreamId, openMillis());
            }
        } else if (now.trialsPassed.incrementAndGet() >= config.trials()
                && standing.compareAndSet(now, Standing.closed())) {
            LOG.info("upstream {}: breaker closed", upstreamId);
        }
    }

    /** A request that was let in ended without telling anything: where it was a trial another one may be. */
    void undecided(Breaker.Admission admission) {
        Standing now = standing.get();
        if (now.admission == admission && admission.isTrial()) {
            // Others may have been let through in the place of one that hung.
            now.trialsLeft.updateAndGet(left -> Math.min(left + 1, config.trials()));
        }
    }

    private boolean open(Standing from, long nowNanos) {
        if (!standing.compareAndSet(from, Standing.open(nowNanos + config.openNanos()))) {
            return false;
        }
        openings.incrementAndGet();
        return true;
    }

    private long openMillis() {
        return TimeUnit.NANOSECONDS.toMillis(config.openNanos());
    }

    /** Time has passed. */
    void tick(long nowNanos) {
        Standing now = standing.get();
        boolean anyFailed = count(nowNanos);
        switch (now.state) {
            case CLOSED -> {
                // Never because good answers leave the interval.
                if (anyFailed) {
                    judge(now, nowNanos);
                }
            }
            case OPEN -> {
                forget();
                if (nowNanos - now.untilNanos >= 0) {
                    trialsNanos = nowNanos;
                    standing.set(Standing.halfOpen(config.trials()));
                    LOG.info("upstream {}: breaker half open, {} requests try it out", upstreamId, config.trials());
                }
            }
            case HALF_OPEN -> {
                forget();
                if (nowNanos - trialsNanos >= config.openNanos()) {
                    // Those that were let through may never end; should they go well, they count.
                    trialsNanos = nowNanos;
                    now.trialsLeft.set(config.trials());
                }
            }
        }
    }

    /** Moves the interval on; whether a request failed since that was done last. */
    private boolean count(long nowNanos) {
        long length = Math.max(1, config.intervalNanos() / PARTS);
        for (int i = 0; i < PARTS && nowNanos - partNanos >= length; i++) {
            part = part + 1 == PARTS ? 0 : part + 1;
            requestsOf[part] = 0;
            failuresOf[part] = 0;
            partNanos += length;
        }
        if (nowNanos - partNanos >= length) {
            partNanos = nowNanos;
        }
        long requestsNow = requests.sum();
        long failuresNow = failures.sum();
        boolean anyFailed = failuresNow != failuresSeen;
        requestsOf[part] += requestsNow - requestsSeen;
        failuresOf[part] += failuresNow - failuresSeen;
        requestsSeen = requestsNow;
        failuresSeen = failuresNow;
        return anyFailed;
    }

    private void judge(Standing now, long nowNanos) {
        long all = Arrays.stream(requestsOf).sum();
        long failed = Arrays.stream(failuresOf).sum();
        if (all >= config.requestsMin() && failed * 100 >= all * config.errorPercent() && open(now, nowNanos)) {
            forget();
            LOG.warn(
                    "upstream {}: breaker open for {} ms, {} of {} requests failed",
                    upstreamId,
                    openMillis(),
                    failed,
                    all);
        }
    }

    private void forget() {
        Arrays.fill(requestsOf, 0);
        Arrays.fill(failuresOf, 0);
    }
}
