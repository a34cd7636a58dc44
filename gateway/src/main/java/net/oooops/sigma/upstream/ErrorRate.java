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
 * <p>It opens only where a request has just failed: not when good answers become too old to count.
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

    private record Standing(State state, long untilNanos) {}

    private static final Standing CLOSED = new Standing(State.CLOSED, 0);
    private static final Standing HALF_OPEN = new Standing(State.HALF_OPEN, 0);

    private final String upstreamId;
    private final BreakerConfig config;
    private final AtomicReference<Standing> standing = new AtomicReference<>(CLOSED);
    private final LongAdder requests = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final AtomicInteger trialsLeft = new AtomicInteger();
    private final AtomicInteger trialsPassed = new AtomicInteger();
    private final AtomicLong openings = new AtomicLong();

    // Of the thread that ticks

    private final long[] requestsOf = new long[PARTS];
    private final long[] failuresOf = new long[PARTS];
    private int part;
    private long partNanos;
    private long requestsSeen;
    private long failuresSeen;

    ErrorRate(String upstreamId, BreakerConfig config) {
        this.upstreamId = upstreamId;
        this.config = config;
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

    /** Whether a request may pass: as a trial where it is half open. Each trial is to be followed by one {@link #tried} or {@link #undecided}. */
    Breaker.Admission admit() {
        return switch (standing.get().state) {
            case CLOSED -> Breaker.Admission.PASSED;
            case OPEN -> Breaker.Admission.OPEN;
            case HALF_OPEN -> takeTrial() ? Breaker.Admission.TRIAL : Breaker.Admission.OPEN;
        };
    }

    private boolean takeTrial() {
        int left = trialsLeft.get();
        while (left > 0) {
            if (trialsLeft.compareAndSet(left, left - 1)) {
                return true;
            }
            left = trialsLeft.get();
        }
        return false;
    }

    /** So a request that was none of the trials ended. */
    void ended(boolean failed) {
        requests.increment();
        if (failed) {
            failures.increment();
        }
    }

    /** So a trial ended. */
    void tried(boolean failed, long nowNanos) {
        if (standing.get().state != State.HALF_OPEN) {
            return;
        }
        if (failed) {
            if (open(HALF_OPEN, nowNanos)) {
                LOG.warn("upstream {}: breaker open again for {} ms, a trial failed", upstreamId, openMillis());
            }
        } else if (trialsPassed.incrementAndGet() >= config.trials() && standing.compareAndSet(HALF_OPEN, CLOSED)) {
            LOG.info("upstream {}: breaker closed", upstreamId);
        }
    }

    /** A trial ended without telling anything: another request may be one. */
    void undecided() {
        trialsLeft.incrementAndGet();
    }

    private boolean open(Standing from, long nowNanos) {
        if (!standing.compareAndSet(from, new Standing(State.OPEN, nowNanos + config.openNanos()))) {
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
                    judge(nowNanos);
                }
            }
            case OPEN -> {
                forget();
                if (nowNanos - now.untilNanos >= 0) {
                    trialsPassed.set(0);
                    trialsLeft.set(config.trials());
                    standing.set(HALF_OPEN);
                    LOG.info("upstream {}: breaker half open, {} requests try it out", upstreamId, config.trials());
                }
            }
            case HALF_OPEN -> forget();
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

    private void judge(long nowNanos) {
        long all = Arrays.stream(requestsOf).sum();
        long failed = Arrays.stream(failuresOf).sum();
        if (all >= config.requestsMin() && failed * 100 >= all * config.errorPercent() && open(CLOSED, nowNanos)) {
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
