package net.oooops.sigma.plugins.limits;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tokens of one key that this process has got, and may give without asking.
 *
 * <p>In Redis they are taken. As a bucket fills again in the order in which tokens were taken, each of these has a time at which it is there again, whether
 * anybody used it or not. Until then it may be given, and not after: so nothing has to be given back, and the limit is never exceeded by what lies here.
 * What was taken last may be given back all the same, so that others have it sooner.
 *
 * <p>Any thread; nothing waits, nothing is allocated.
 */
final class Lease {
    /** None. */
    static final Lease NONE = new Lease(new Rate[0], 0, new long[0], List.of());

    private final Rate[] rates;
    private final long granted;
    private final long[] endNanos;
    private final List<Long> fullUnits;
    private final AtomicLong left;
    private final Held alone;

    /** What a key has. */
    static final class Held {
        private final Lease current;
        private final Lease next;

        /**
         * @param current is given from
         * @param next is given from then; {@link #NONE} where there is none
         */
        Held(Lease current, Lease next) {
            this.current = current;
            this.next = next;
        }

        Lease current() {
            return current;
        }

        Lease next() {
            return next;
        }
    }

    /**
     * @param tokens so many
     * @param endNanos when the last one of them is there again, of each rate
     * @param fullUnits the same, as Redis counts
     */
    Lease(Rate[] rates, long tokens, long[] endNanos, List<Long> fullUnits) {
        this.rates = rates;
        this.granted = tokens;
        this.endNanos = endNanos;
        this.fullUnits = fullUnits;
        this.left = new AtomicLong(tokens);
        // The first one that is made is none itself.
        this.alone = new Held(this, endNanos.length == 0 ? this : NONE);
    }

    /** This one, and no other. */
    Held alone() {
        return alone;
    }

    /** Gives so many, where it has them. */
    boolean take(long tokens, long nowNanos) {
        while (true) {
            long before = left.get();
            long usable = usable(before, nowNanos);
            if (usable < tokens) {
                return false;
            }
            if (left.compareAndSet(before, usable - tokens)) {
                return true;
            }
        }
    }

    /** Gives all that it has. */
    long takeAll(long nowNanos) {
        return usable(left.getAndSet(0), nowNanos);
    }

    /** When the buckets were to be full once these tokens had been taken, of each rate. */
    List<Long> fullUnits() {
        return fullUnits;
    }

    /** How many weren't given, expired ones among them. */
    long unused() {
        return left.get();
    }

    /** How many it has. */
    long left(long nowNanos) {
        return usable(left.get(), nowNanos);
    }

    private long usable(long tokens, long nowNanos) {
        long usable = tokens;
        for (int i = 0; i < endNanos.length && usable > 0; i++) {
            usable = Math.min(usable, Math.ceilDiv(endNanos[i] - nowNanos, rates[i].tokenNanos()));
        }
        return Math.max(0, usable);
    }

    /** Whether half of it, or more, is gone. */
    boolean isLow(long nowNanos) {
        return left(nowNanos) * 2 <= granted;
    }
}
