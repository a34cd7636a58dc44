package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * So many of something there may be at once, over all Workers. What is taken is to be released once.
 *
 * <p>Any thread; never waits.
 */
public final class Bound {
    private final int most;
    private final @Nullable Bound whole;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();

    /** None is taken yet. */
    public Bound(int most) {
        this(most, null);
    }

    /** None is taken yet. Each that is will be one of the whole's, too, of which there has to be room. */
    Bound(int most, @Nullable Bound whole) {
        this.most = most;
        this.whole = whole;
    }

    /** Takes one where there is room. */
    public boolean tryTake() {
        return tryTake(most);
    }

    /** Takes one where fewer than {@code most} are taken, and there is room. */
    boolean tryTake(int most) {
        boolean got = tryTakeUncounted(Math.min(most, this.most));
        if (!got) {
            refused(1);
        }
        return got;
    }

    /** The same as {@link #tryTake()}, for who may ask often: that there was no room it says itself, by {@link #refused}. */
    boolean tryTakeUncounted() {
        return tryTakeUncounted(most);
    }

    private boolean tryTakeUncounted(int bound) {
        int now = taken.get();
        while (now < bound) {
            if (taken.compareAndSet(now, now + 1)) {
                return isRoomInWhole();
            }
            now = taken.get();
        }
        return false;
    }

    private boolean isRoomInWhole() {
        if (whole == null || whole.tryTakeUncounted()) {
            return true;
        }
        taken.decrementAndGet();
        return false;
    }

    /** There was no room for so many. */
    void refused(int count) {
        refused.addAndGet(count);
    }

    /** Takes one, whether there is room or not. */
    public void take() {
        taken.incrementAndGet();
        if (whole != null) {
            whole.take();
        }
    }

    /** Gives one back. */
    public void release() {
        taken.decrementAndGet();
        if (whole != null) {
            whole.release();
        }
    }

    /**
     * So many that were taken of one are given back to it, and taken of another one instead, whether there is room or not. Neither is part of
     * a whole.
     */
    public static void move(@Nullable Bound from, @Nullable Bound to, int count) {
        if (from != to) {
            if (from != null) {
                from.taken.addAndGet(-count);
            }
            if (to != null) {
                to.taken.addAndGet(count);
            }
        }
    }

    /** How many are taken. */
    public int count() {
        return taken.get();
    }

    /** How many there may be. */
    public int most() {
        return most;
    }

    /** For how many there was no room. */
    public long refusedCount() {
        return refused.get();
    }
}
