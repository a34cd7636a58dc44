package net.oooops.sigma.plugins.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What one key has left of each rate.
 *
 * <p>Of each it keeps one number, the time at which the bucket will be full again (the generic cell rate algorithm, ITU-T I.371): taking a token
 * moves that on by the time a token takes to come, and there is none left where it would be further off than the whole bucket takes. All rates
 * change in one step, or none does.
 *
 * <p>Any thread; nothing waits.
 */
abstract sealed class Bucket implements KeyTable.Entry, Level {
    /** What {@link #take} says of one that is forgotten. */
    static final long FORGOTTEN = -1;

    /**
     * How long one is kept, full, whose owner has come again after it was full: who fills the table doesn't drive out those, as long as they aren't what
     * fills it.
     */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** How often it was full as something was taken, up to 2. Written by several threads: one of them may be lost. */
    private byte fullCount;

    /** A full one. */
    static Bucket full(Rate[] rates, long nowNanos) {
        if (rates.length == 1) {
            return new One(nowNanos);
        }
        long[] fullAt = new long[rates.length];
        for (int i = 0; i < fullAt.length; i++) {
            fullAt[i] = nowNanos;
        }
        return new Several(fullAt);
    }

    /** One that will be full at these times, of each rate. */
    static Bucket fullAt(long[] fullAtNanos) {
        return fullAtNanos.length == 1 ? new One(fullAtNanos[0]) : new Several(fullAtNanos.clone());
    }

    /**
     * Takes so many tokens of each rate, if each has them, or none of any.
     *
     * @return 0 where they were taken; for how long they are still to come; or {@link #FORGOTTEN}
     */
    abstract long take(Rate[] rates, long tokens, long nowNanos);

    /** What is known elsewhere to have been taken of that key was taken of this, too, where it is more than was taken of this. */
    abstract void atLeast(Rate[] rates, SharedKey known, long nowNanos);

    /** So far off, at most as far as the whole bucket takes. */
    private static long least(Rate[] rates, int rate, SharedKey known, long nowNanos) {
        long until = known.takenUntilNanos(rate, nowNanos) - nowNanos;
        return nowNanos + Math.clamp(until, 0, rates[rate].bucketNanos());
    }

    @Override
    public final boolean forget(long nowNanos) {
        return forget(nowNanos, keptNanos());
    }

    @Override
    public final boolean forgetKept(long nowNanos) {
        return forget(nowNanos, 0);
    }

    @Override
    public final boolean isKept(long nowNanos) {
        return isFull(nowNanos, 0) && !isFull(nowNanos, keptNanos());
    }

    private long keptNanos() {
        return fullCount > 1 ? KEPT_NANOS : 0;
    }

    /** Marks itself where it has been full of each rate for so long. */
    abstract boolean forget(long nowNanos, long sinceNanos);

    /** Whether it has been full of each rate for so long; one that is marked isn't. */
    abstract boolean isFull(long nowNanos, long sinceNanos);

    final void wasFull() {
        if (fullCount < 2) {
            fullCount++;
        }
    }

    /** Of one rate: the number itself. */
    private static final class One extends Bucket {
        private static final long GONE = Long.MIN_VALUE;

        private final AtomicLong fullAtNanos;

        One(long fullAtNanos) {
            this.fullAtNanos = new AtomicLong(fullAtNanos);
        }

        @Override
        long take(Rate[] rates, long tokens, long nowNanos) {
            Rate rate = rates[0];
            while (true) {
                long before = fullAtNanos.get();
                if (before == GONE) {
                    return FORGOTTEN;
                }
                boolean full = before - nowNanos <= 0;
                long after = (full ? nowNanos : before) + rate.tokenNanos() * tokens;
                long over = after - nowNanos - rate.bucketNanos();
                if (over > 0) {
                    return over;
                }
                if (fullAtNanos.compareAndSet(before, after)) {
                    if (full) {
                        wasFull();
                    }
                    return 0;
                }
            }
        }

        @Override
        void atLeast(Rate[] rates, SharedKey known, long nowNanos) {
            long least = least(rates, 0, known, nowNanos);
            long before = fullAtNanos.get();
            while (before != GONE && least - nowNanos > 0 && least - before > 0) {
                before = fullAtNanos.compareAndSet(before, least) ? least : fullAtNanos.get();
            }
        }

        @Override
        public long fullAtNanos(int rate, long nowNanos) {
            long fullAt = fullAtNanos.get();
            return fullAt == GONE || fullAt - nowNanos <= 0 ? nowNanos : fullAt;
        }

        @Override
        boolean forget(long nowNanos, long sinceNanos) {
            long fullAt = fullAtNanos.get();
            return fullAt == GONE || (fullAt + sinceNanos - nowNanos <= 0 && fullAtNanos.compareAndSet(fullAt, GONE));
        }

        @Override
        boolean isFull(long nowNanos, long sinceNanos) {
            long fullAt = fullAtNanos.get();
            return fullAt != GONE && fullAt + sinceNanos - nowNanos <= 0;
        }
    }

    /** Of several: an array that is never changed, and another one takes its place. */
    private static final class Several extends Bucket {
        private static final long[] GONE = {};

        private final AtomicReference<long[]> fullAtNanos;

        Several(long[] fullAtNanos) {
            this.fullAtNanos = new AtomicReference<>(fullAtNanos);
        }

        @Override
        long take(Rate[] rates, long tokens, long nowNanos) {
            while (true) {
                long[] before = fullAtNanos.get();
                if (before.length == 0) {
                    return FORGOTTEN;
                }
                long over = 0;
                for (int i = 0; i < before.length; i++) {
                    long after = after(rates[i], before[i], tokens, nowNanos);
                    over = Math.max(over, after - nowNanos - rates[i].bucketNanos());
                }
                if (over > 0) {
                    return over;
                }
                boolean full = true;
                long[] after = new long[before.length];
                for (int i = 0; i < before.length; i++) {
                    full &= before[i] - nowNanos <= 0;
                    after[i] = after(rates[i], before[i], tokens, nowNanos);
                }
                if (fullAtNanos.compareAndSet(before, after)) {
                    if (full) {
                        wasFull();
                    }
                    return 0;
                }
            }
        }

        private static long after(Rate rate, long before, long tokens, long nowNanos) {
            return (before - nowNanos > 0 ? before : nowNanos) + rate.tokenNanos() * tokens;
        }

        @Override
        void atLeast(Rate[] rates, SharedKey known, long nowNanos) {
            while (true) {
                long[] before = fullAtNanos.get();
                long[] after = null;
                for (int i = 0; i < before.length; i++) {
                    long least = least(rates, i, known, nowNanos);
                    if (least - nowNanos > 0 && least - before[i] > 0) {
                        after = after == null ? before.clone() : after;
                        after[i] = least;
                    }
                }
                if (after == null || fullAtNanos.compareAndSet(before, after)) {
                    return;
                }
            }
        }

        @Override
        public long fullAtNanos(int rate, long nowNanos) {
            long[] fullAt = fullAtNanos.get();
            return fullAt.length == 0 || fullAt[rate] - nowNanos <= 0 ? nowNanos : fullAt[rate];
        }

        @Override
        boolean forget(long nowNanos, long sinceNanos) {
            long[] before = fullAtNanos.get();
            return before.length == 0
                    || (isFull(before, nowNanos, sinceNanos) && fullAtNanos.compareAndSet(before, GONE));
        }

        @Override
        boolean isFull(long nowNanos, long sinceNanos) {
            long[] now = fullAtNanos.get();
            return now.length > 0 && isFull(now, nowNanos, sinceNanos);
        }

        private static boolean isFull(long[] fullAtNanos, long nowNanos, long sinceNanos) {
            for (long fullAt : fullAtNanos) {
                if (fullAt + sinceNanos - nowNanos > 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
