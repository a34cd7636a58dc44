package net.oooops.sigma.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock that stands still until a test moves it: nanoseconds since an arbitrary point, as of {@link System#nanoTime()}. May be
 * read and moved on any thread.
 */
public final class ManualClock implements LongSupplier {
    private final AtomicLong nowNanos;

    /** A clock that shows 0. */
    public ManualClock() {
        this(0);
    }

    private ManualClock(long nowNanos) {
        this.nowNanos = new AtomicLong(nowNanos);
    }

    /** A clock that shows the given nanoseconds, for instance shortly before the overflow of {@code long}. */
    public static ManualClock startingAt(long nowNanos) {
        return new ManualClock(nowNanos);
    }

    /** The time that it shows, in nanoseconds. */
    @Override
    public long getAsLong() {
        return nowNanos.get();
    }

    /**
     * Moves the clock on.
     *
     * @return the time that it shows now, in nanoseconds
     * @throws IllegalArgumentException when the step is negative
     */
    public long advance(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException("step: " + step + " (expected: >= 0)");
        }
        return nowNanos.addAndGet(step.toNanos());
    }

    /**
     * Moves the clock on to a point in time.
     *
     * @throws IllegalArgumentException when that is in the past
     */
    public void advanceTo(long laterNanos) {
        nowNanos.updateAndGet(now -> {
            if (laterNanos - now < 0) {
                throw new IllegalArgumentException("laterNanos: " + laterNanos + " (expected: >= " + now + ")");
            }
            return laterNanos;
        });
    }
}
