package net.oooops.sigma.proxy;

import net.oooops.sigma.upstream.Line;

/**
 * The requests that wait for one node and may be hedged, in the order in which they were sent, and how long its answers take.
 *
 * <p>Belongs to one Worker.
 */
final class HedgeLine {
    /** So many of those that wait are looked at in one go. */
    private static final int SEEN_MAX = 1000;

    private final Latencies latencies = new Latencies();
    private final Line<Hedge> line = new Line<>();
    /** {@link HedgeWatch} looks at it. */
    boolean isWatched;

    /** A request has been sent to the node. */
    void add(Hedge hedge) {
        line.add(hedge.inLine);
    }

    /** It isn't to be hedged any more, or is by now. */
    void remove(Hedge hedge) {
        line.remove(hedge.inLine);
    }

    boolean isEmpty() {
        return line.isEmpty();
    }

    /** The answer to a request has begun so long after it was sent. */
    void answered(long afterNanos) {
        latencies.add(afterNanos);
    }

    /**
     * A request was given up unanswered so long after it was sent. How long its answer would have taken isn't known: only where it is
     * known to be longer than nearly all others does it count.
     */
    void unanswered(long afterNanos) {
        if (afterNanos > latencies.percentileNanos()) {
            latencies.add(afterNanos);
        }
    }

    /** Time has passed: called for each tick of the Worker's wheel. */
    void tick() {
        latencies.tick();
    }

    /** Has those hedged that have waited for longer than nearly all answers of the node take. Where that isn't known yet, none. */
    void look(long nowNanos) {
        long usualNanos = latencies.percentileNanos();
        Hedge next = usualNanos == 0 ? null : line.first();
        for (int i = 0; i < SEEN_MAX && next != null && next.isOlder(nowNanos, usualNanos); i++) {
            Hedge after = next.inLine.after();
            if (next.isOlder(nowNanos, next.delayNanosMin())) {
                remove(next);
                next.onDue();
            }
            next = after;
        }
    }
}
