package net.oooops.sigma.upstream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one Worker counts of one {@link Node}. Made by {@link Node#tally}.
 *
 * <p>Written on the Worker's event loop only, by plain steps that other threads may read at any time.
 */
public final class NodeTally {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    /** Two cache lines before and after, so that two Workers' counts never share one. */
    private static final int PADDING = 16;

    private static final int REQUESTS = PADDING;
    private static final int ANSWERS = PADDING + 1;
    private static final int FAILURES = PADDING + 2;
    private static final int LATENCY_NANOS = PADDING + 3;
    private static final int IN_FLIGHT = PADDING + 4;
    private static final int ANSWERED_NANOS = PADDING + 5;
    private static final int SILENT = PADDING + 6;
    private static final int BOUNDED_NANOS = PADDING + 7;
    private static final int SLOTS = 8;
    /** One answer that takes long doesn't make a node slow. */
    private static final long BOUND_NANOS = 1_000_000_000L;

    private final long[] slots = new long[PADDING + SLOTS + PADDING];

    NodeTally() {}

    /** A request or session is given to the node. */
    public void began() {
        plus(REQUESTS, 1);
        plus(IN_FLIGHT, 1);
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

    long requests() {
        return count(REQUESTS);
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
