package net.oooops.sigma.plugins.limits;

/** How full the buckets of one key are, of each rate. Any thread. */
interface Level {
    /** When that of a rate will be full, as far as is known; at the earliest now. */
    long fullAtNanos(int rate, long nowNanos);

    /** How many tokens of that rate there are. */
    default long left(Rate[] rates, int rate, long nowNanos) {
        Rate of = rates[rate];
        long away = fullAtNanos(rate, nowNanos) - nowNanos;
        return Math.max(0, (of.bucketNanos() - away) / of.tokenNanos());
    }
}
