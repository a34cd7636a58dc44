package net.oooops.sigma.api;

import java.time.Duration;

/**
 * When something is done that is done again and again: {@link PluginContext#timer}. Between the end of one time and the beginning of the next lies the
 * period, and up to the jitter more, by chance each time: so that gateways that began together don't stay together.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Schedule {
    /** The shortest period. */
    public static final Duration PERIOD_MIN = Duration.ofMillis(100);

    /** The longest period, delay and jitter. */
    public static final Duration PERIOD_MAX = Duration.ofDays(365);

    private static final int JITTER_PARTS = 10;

    private final Duration period;
    private final Duration first;
    private final Duration jitter;

    private Schedule(Duration period, Duration first, Duration jitter) {
        this.period = period;
        this.first = first;
        this.jitter = jitter;
    }

    /**
     * Each time so long after the end of the last one, the first time as long after the plugin has begun, with a jitter of a tenth.
     *
     * @throws IllegalArgumentException where that is less than {@link #PERIOD_MIN} or more than {@link #PERIOD_MAX}
     */
    public static Schedule every(Duration period) {
        require("period", period, PERIOD_MIN);
        return new Schedule(period, period, period.dividedBy(JITTER_PARTS));
    }

    /**
     * The same, for the first time so long after the plugin has begun; 0 is at once, and has no jitter.
     *
     * @throws IllegalArgumentException where that is less than 0 or more than {@link #PERIOD_MAX}
     */
    public Schedule first(Duration delay) {
        require("first delay", delay, Duration.ZERO);
        return new Schedule(period, delay, jitter);
    }

    /**
     * The same, with so much jitter at most.
     *
     * @throws IllegalArgumentException where that is less than 0 or more than {@link #PERIOD_MAX}
     */
    public Schedule jitter(Duration most) {
        require("jitter", most, Duration.ZERO);
        return new Schedule(period, first, most);
    }

    private static void require(String what, Duration duration, Duration least) {
        if (duration.compareTo(least) < 0 || duration.compareTo(PERIOD_MAX) > 0) {
            throw new IllegalArgumentException(
                    what + ": " + duration + " (expected: " + least + " to " + PERIOD_MAX + ")");
        }
    }

    /** From the end of one time to the next, without jitter. */
    public Duration period() {
        return period;
    }

    /** Until the first time, without jitter. */
    public Duration first() {
        return first;
    }

    /** How much longer each wait is at most. */
    public Duration jitter() {
        return jitter;
    }

    @Override
    public String toString() {
        return "every " + period + ", first after " + first + ", jitter " + jitter;
    }
}
