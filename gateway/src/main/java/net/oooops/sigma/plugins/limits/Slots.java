package net.oooops.sigma.plugins.limits;

import java.util.concurrent.atomic.AtomicInteger;

/** How many requests of one key are under way. Any thread; nothing waits. */
final class Slots implements KeyTable.Entry {
    private static final int FORGOTTEN = -1;

    private final AtomicInteger count = new AtomicInteger();

    /** What became of an attempt to enter. */
    enum Entered {
        /** It counts, until it leaves. */
        YES,
        /** There are as many as may be. */
        FULL,
        /** This isn't used any more: another one is. */
        FORGOTTEN
    }

    /** One more, where there are fewer than so many. */
    Entered enter(int most) {
        while (true) {
            int before = count.get();
            if (before == FORGOTTEN) {
                return Entered.FORGOTTEN;
            }
            if (before >= most) {
                return Entered.FULL;
            }
            if (count.compareAndSet(before, before + 1)) {
                return Entered.YES;
            }
        }
    }

    /** One of those that have entered is over. */
    void leave() {
        count.decrementAndGet();
    }

    /** How many there are; where it is forgotten, none. */
    int count() {
        return Math.max(0, count.get());
    }

    @Override
    public boolean forget(long nowNanos) {
        return count.get() == FORGOTTEN || count.compareAndSet(0, FORGOTTEN);
    }
}
