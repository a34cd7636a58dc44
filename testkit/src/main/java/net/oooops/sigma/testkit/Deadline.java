package net.oooops.sigma.testkit;

import java.time.Duration;

/** A point in time up to which something may take, or never. Immutable. */
final class Deadline {
    static final Deadline NEVER = new Deadline(0, Duration.ZERO);

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long atNanos;
    private final Duration given;

    private Deadline(long atNanos, Duration given) {
        this.atNanos = atNanos;
        this.given = given;
    }

    static Deadline in(Duration given) {
        return new Deadline(System.nanoTime() + given.toNanos(), given);
    }

    Duration given() {
        return given;
    }

    boolean passed() {
        return this != NEVER && atNanos - System.nanoTime() <= 0;
    }

    /** For {@code SO_TIMEOUT}: at least 1, or 0 for never. */
    int socketTimeoutMillis() {
        if (this == NEVER) {
            return 0;
        }
        long leftMillis = (atNanos - System.nanoTime()) / NANOS_PER_MILLI;
        return Math.clamp(leftMillis, 1, Integer.MAX_VALUE);
    }
}
