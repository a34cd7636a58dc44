package net.oooops.sigma.config;

import java.util.concurrent.TimeUnit;

/**
 * Whether a request that waits for unusually long is sent to another node, too ({@code proxy-pass.retry.hedge}).
 *
 * @param enabled whether any is
 * @param delayNanosMin no sooner after it was sent than that
 * @param percentMax at most such a part of those that might be, 1 to 100
 */
public record HedgeConfig(boolean enabled, long delayNanosMin, int percentMax) {
    /** What holds where sigma.json says nothing. */
    public static final HedgeConfig DEFAULT = new HedgeConfig(false, TimeUnit.MILLISECONDS.toNanos(10), 10);
}
