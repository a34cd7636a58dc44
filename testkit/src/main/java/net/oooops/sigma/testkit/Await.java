package net.oooops.sigma.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Waits for a condition instead of for a time: looks at once, then again after parks that grow to 5 ms, until the condition holds
 * or the deadline passes. Blocks the calling thread, so it is for test threads only.
 */
public final class Await {
    /** The deadline where none is given. */
    public static final Duration DEADLINE = Duration.ofSeconds(10);

    private static final long FIRST_PARK_NANOS = 100_000;
    private static final long PARK_NANOS_MAX = 5_000_000;

    private Await() {}

    /**
     * Waits until a condition holds, up to {@link #DEADLINE}.
     *
     * @param what the condition in words, for the error
     * @param condition looked at repeatedly, on the calling thread
     * @throws AssertionError when the deadline passes first
     */
    public static void until(String what, BooleanSupplier condition) {
        until(what, DEADLINE, condition);
    }

    /**
     * Waits until a condition holds, up to the given deadline.
     *
     * @throws AssertionError when the deadline passes first
     */
    public static void until(String what, Duration deadline, BooleanSupplier condition) {
        value(what, deadline, condition::getAsBoolean, Boolean::booleanValue);
    }

    /**
     * Waits until a value is as expected, up to {@link #DEADLINE}.
     *
     * @return the first value that was as expected
     * @throws AssertionError when the deadline passes first; it shows the last value
     */
    public static <T> T value(String what, Supplier<T> value, Predicate<? super T> expected) {
        return value(what, DEADLINE, value, expected);
    }

    /**
     * Waits until a value is as expected, up to the given deadline.
     *
     * @return the first value that was as expected
     * @throws AssertionError when the deadline passes first; it shows the last value
     */
    public static <T> T value(String what, Duration deadline, Supplier<T> value, Predicate<? super T> expected) {
        long startNanos = System.nanoTime();
        long parkNanos = FIRST_PARK_NANOS;
        while (true) {
            T last = value.get();
            if (expected.test(last)) {
                return last;
            }
            if (System.nanoTime() - startNanos >= deadline.toNanos()) {
                throw new AssertionError(what + ": not so within " + deadline.toMillis() + " ms; last value: " + last);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError(what + ": interrupted while waiting; last value: " + last);
            }
            LockSupport.parkNanos(parkNanos);
            parkNanos = Math.min(PARK_NANOS_MAX, parkNanos * 2);
        }
    }
}
