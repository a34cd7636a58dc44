package net.oooops.sigma.config;

import java.util.concurrent.TimeUnit;

/**
 * What an Upstream is kept from taking ({@code upstream.breaker}). Where nothing is said, nothing.
 *
 * @param connectionsMax how many connections may be open to all nodes; {@link #NONE}: no bound
 * @param pendingMax how many requests may wait for a connection; {@link #NONE}: no bound
 * @param requestsMax how many requests may be in flight; {@link #NONE}: no bound
 * @param retriesMax how many requests may be sent again at once; {@link #NONE}: no bound
 * @param errorPercent where so many of the requests fail, it opens; 0: never
 * @param intervalNanos of the requests of that time
 * @param requestsMin where there were at least so many
 * @param openNanos how long it stays open
 * @param trials so many requests must go well before it closes
 * @param adaptive the limit on requests in flight that is found out
 */
public record BreakerConfig(
        int connectionsMax,
        int pendingMax,
        int requestsMax,
        int retriesMax,
        int errorPercent,
        long intervalNanos,
        int requestsMin,
        long openNanos,
        int trials,
        Adaptive adaptive) {

    /** No bound. */
    public static final int NONE = Integer.MAX_VALUE;

    /** What holds where sigma.json says nothing. */
    public static final BreakerConfig DEFAULT = new BreakerConfig(
            NONE,
            NONE,
            NONE,
            NONE,
            0,
            TimeUnit.SECONDS.toNanos(10),
            20,
            TimeUnit.SECONDS.toNanos(5),
            3,
            Adaptive.DEFAULT);

    /**
     * A limit on requests in flight that follows the time that answers take ({@code upstream.breaker.adaptive}).
     *
     * @param enabled whether there is one
     * @param limitMin it never is below that
     * @param limitMax nor above that
     * @param tolerancePercent answers that take so much of the least time are as they should be, at least 100
     */
    public record Adaptive(boolean enabled, int limitMin, int limitMax, int tolerancePercent) {
        /** What holds where sigma.json says nothing. */
        public static final Adaptive DEFAULT = new Adaptive(false, 10, 1000, 150);
    }

    /** Whether nothing is kept from anything. */
    public boolean isOff() {
        return connectionsMax == NONE
                && pendingMax == NONE
                && requestsMax == NONE
                && retriesMax == NONE
                && errorPercent == 0
                && !adaptive.enabled;
    }
}
