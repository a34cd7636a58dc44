package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The requests that find out whether a {@link Node} is well again: one at a time, each with a number of its own, so that what comes of one late
 * isn't taken for what comes of another.
 *
 * <p>Any thread.
 */
final class Trials {
    /**
     * One that is under way.
     *
     * @param number no other one of its node has it
     */
    private record Trial(int number, long sinceNanos) {
        private static final Trial NONE = new Trial(Node.NO_TRIAL, 0);
    }

    private final AtomicReference<Trial> underWay = new AtomicReference<>(Trial.NONE);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger passed = new AtomicInteger();

    /**
     * The number of the caller's trial, or {@link Node#NO_TRIAL} where it may not try the node out: while another one does, unless that takes too
     * long. To be followed by one {@link #end}.
     */
    int begin(long nowNanos, long longestNanos) {
        Trial before = underWay.get();
        boolean free = before.number == Node.NO_TRIAL || nowNanos - before.sinceNanos > longestNanos;
        if (!free) {
            return Node.NO_TRIAL;
        }
        Trial mine = new Trial(begun.updateAndGet(last -> last == -1 ? 1 : last + 1), nowNanos);
        return underWay.compareAndSet(before, mine) ? mine.number : Node.NO_TRIAL;
    }

    /** That one is over: another one may begin, unless one has. */
    void end(int number) {
        Trial now = underWay.get();
        if (now.number == number) {
            underWay.compareAndSet(now, Trial.NONE);
        }
    }

    /** Whatever is under way, another one may begin, and none has passed. */
    void beginAnew() {
        passed.set(0);
        underWay.set(Trial.NONE);
    }

    /** The number of the one that began last. */
    int last() {
        return begun.get();
    }

    /** One went well. Returns how many did, since they began anew. */
    int countPassed() {
        return passed.incrementAndGet();
    }
}
