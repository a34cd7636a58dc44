package net.oooops.sigma.plugins.limits;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How many tokens come in which time, and how many a full bucket has.
 *
 * @param name what it is called where clients are told of it
 * @param tokens how many come in each {@code perNanos}, evenly
 * @param burst how many a full bucket has
 * @param tokenNanos how long one takes to come
 */
record Rate(String name, long tokens, long perNanos, long burst, long tokenNanos) {
    /** The longest that a bucket may take to be full: a quarter of what a clock counts. */
    private static final long BUCKET_NANOS_MAX = Long.MAX_VALUE / 4;

    /** The same in hours: the longest that one token may take. */
    static final long HOURS_MAX = TimeUnit.NANOSECONDS.toHours(BUCKET_NANOS_MAX);

    /**
     * A rate that is never exceeded: the time for a token is rounded up to nanoseconds.
     *
     * @param tokens at least 1
     * @param burst at least 1
     */
    static Rate of(String name, long tokens, Duration per, long burst) {
        long perNanos = per.toNanos();
        return new Rate(name, tokens, perNanos, burst, Math.ceilDiv(perNanos, tokens));
    }

    /** The same with tokens that take a multiple of that time, where they don't: a little longer. */
    Rate inSteps(long stepNanos) {
        return new Rate(name, tokens, perNanos, burst, Math.ceilDiv(tokenNanos, stepNanos) * stepNanos);
    }

    /** Whether the time in which a bucket fills can be counted. */
    boolean isCountable() {
        return burst <= burstMax();
    }

    /** How many a full bucket may have, so that it can; 0 where even one takes too long. */
    long burstMax() {
        return BUCKET_NANOS_MAX / tokenNanos;
    }

    /** How long an empty bucket takes to be full. */
    long bucketNanos() {
        return tokenNanos * burst;
    }

    /** When a bucket has so many tokens that is full at that time, and from which nothing is taken until then. */
    long availableNanos(long fullAtNanos, long count) {
        return fullAtNanos + tokenNanos * count - bucketNanos();
    }
}
