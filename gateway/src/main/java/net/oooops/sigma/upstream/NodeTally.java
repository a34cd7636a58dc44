package net.oooops.sigma.upstream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one Worker counts of one {@link Node}. Made by {@link Node#tally}, once.
 *
 * <p>Written on the Worker's event loop only, by plain steps that other threads may read at any time.
 */
public final class NodeTally {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    /** Two cache lines before and after, so that two Workers' counts never share one. */
    private static final int PADDING = 16;

    private static final int TRIES = PADDING;
    private static final int ANSWERS = PADDING + 1;
    private static final int FAILURES = PADDING + 2;
    private static final int LATENCY_NANOS = PADDING + 3;
    private static final int IN_FLIGHT = PADDING + 4;
    private static final int ANSWERED_NANOS = PADDING + 5;
    private static final int SILENT = PADDING + 6;
    private static final int BOUNDED_NANOS = PADDING + 7;
    private static final int RETRIES = PADDING + 8;
    private static final int OBSERVED_NANOS = PADDING + 9;
    private static final int FIRST_TRIES = PADDING + 10;
    private static final int SENT = PADDING + 11;
    private static final int CONNECT_FAILURES = PADDING + 12;
    private static final int BUCKETS = PADDING + 13;
    /** The upper bounds of the buckets that latencies are counted in; one more has what is above them all. */
    private static final long[] BOUNDS_NANOS = {
        500_000L,
        1_000_000L,
        2_500_000L,
        5_000_000L,
        10_000_000L,
        25_000_000L,
        50_000_000L,
        100_000_000L,
        250_000_000L,
        500_000_000L,
        1_000_000_000L,
        2_500_000_000L,
        5_000_000_000L,
        10_000_000_000L
    };

    private static final int SLOTS = 13 + BOUNDS_NANOS.length + 1;
    /** One answer that takes long doesn't make a node slow. */
    private static final long BOUND_NANOS = 1_000_000_000L;

    private final long[] slots = new long[PADDING + SLOTS + PADDING];

    NodeTally() {}

    /** A request or session is given to the node: there may be no connection for it yet. */
    public void began() {
        plus(TRIES, 1);
        plus(IN_FLIGHT, 1);
    }

    /** The request that began wasn't given to any node before. */
    public void firstTried() {
        plus(FIRST_TRIES, 1);
    }

    /** There is a connection for it. */
    public void sent() {
        plus(SENT, 1);
    }

    /** There is none, as it couldn't be opened. */
    public void connectFailed() {
        plus(CONNECT_FAILURES, 1);
    }

    /** It no longer is. */
    public void ended() {
        plus(IN_FLIGHT, -1);
    }

    /** An answer began. */
    public void answered(long latencyNanos, long nowNanos) {
        plus(ANSWERS, 1);
        plus(LATENCY_NANOS, latencyNanos);
        plus(BOUNDED_NANOS, Math.min(latencyNanos, BOUND_NANOS));
        SLOT.setOpaque(slots, ANSWERED_NANOS, nowNanos);
    }

    /**
     * What was asked of the node came after so long: an answer began, or a session's connection was open. For whoever watches; nothing
     * is decided by it.
     */
    public void observed(long latencyNanos) {
        int bucket = 0;
        while (bucket < BOUNDS_NANOS.length && latencyNanos > BOUNDS_NANOS[bucket]) {
            bucket++;
        }
        plus(BUCKETS + bucket, 1);
        plus(OBSERVED_NANOS, latencyNanos);
    }

    /** What came to nothing here was tried once more, here or on another node. */
    public void retried() {
        plus(RETRIES, 1);
    }

    /** An answer told of an error, or didn't come. */
    public void failed() {
        plus(FAILURES, 1);
    }

    /** How many requests have waited for longer than a node may be silent, with no answer to any since. */
    public void silent(int waitingCount) {
        SLOT.setOpaque(slots, SILENT, (long) waitingCount);
    }

    private void plus(int slot, long amount) {
        SLOT.setOpaque(slots, slot, (long) SLOT.getOpaque(slots, slot) + amount);
    }

    private long count(int slot) {
        return (long) SLOT.getOpaque(slots, slot);
    }

    void addTo(long[] buckets) {
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] += count(BUCKETS + i);
        }
    }

    static long[] boundsNanos() {
        return BOUNDS_NANOS.clone();
    }

    long observedNanos() {
        return count(OBSERVED_NANOS);
    }

    long retries() {
        return count(RETRIES);
    }

    long tries() {
        return count(TRIES);
    }

    long sentCount() {
        return count(SENT);
    }

    long connectFailures() {
        return count(CONNECT_FAILURES);
    }

    long firstTries() {
        return count(FIRST_TRIES);
    }

    long answers() {
        return count(ANSWERS);
    }

    long failures() {
        return count(FAILURES);
    }

    long latencyNanos() {
        return count(LATENCY_NANOS);
    }

    /** The same, each for a second at most. */
    long boundedNanos() {
        return count(BOUNDED_NANOS);
    }

    long inFlight() {
        return count(IN_FLIGHT);
    }

    /** When the last answer began, 0 where none has. */
    long answeredNanos() {
        return count(ANSWERED_NANOS);
    }

    long silent() {
        return count(SILENT);
    }
}
