package net.oooops.sigma.config;

/**
 * How many requests to an Upstream may be sent again, over all Workers ({@code upstream.retry-budget}).
 *
 * @param percent of the requests that clients send
 * @param perSecondMin so many a second where that is less
 */
public record RetryBudgetConfig(int percent, int perSecondMin) {
    /** What holds where sigma.json says nothing. */
    public static final RetryBudgetConfig DEFAULT = new RetryBudgetConfig(20, 3);
}
