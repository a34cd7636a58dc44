package net.oooops.sigma.ask;

import java.time.Duration;

/**
 * How long to wait before asking again: twice as long after each failure.
 *
 * @param least after the first
 * @param most never longer
 */
public record Backoff(Duration least, Duration most) {
    /** A minute to twelve hours: issuers count failures by the hour. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMinutes(1), Duration.ofHours(12));

    /** A tenth more or less, so that those who failed together don't ask together. */
    private static final double JITTER = 0.1;

    private static final int DOUBLINGS_MAX = 30;

    /**
     * After so many failures.
     *
     * @param chance from 0 to 1
     */
    public Duration after(int failures, double chance) {
        long millis = least.toMillis() << Math.min(failures - 1, DOUBLINGS_MAX);
        double bounded = Math.min(millis, most.toMillis());
        return Duration.ofMillis((long) (bounded * (1 - JITTER + 2 * JITTER * chance)));
    }
}
