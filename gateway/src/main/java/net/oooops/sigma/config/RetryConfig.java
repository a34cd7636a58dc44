package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When a request is tried again ({@code proxy-pass.retry}).
 *
 * @param triesMax how often a request is sent at most, the first time included; tries in which nothing was sent don't count
 * @param statuses answers of nodes that are asked of another node; the last one passes to the client
 * @param tryNanos how long a try that another may follow waits for its answer; 0: as long as the last one
 * @param silentOnly whether that holds only where its node answered nobody in that time
 * @param totalNanos when no further try is begun, counted from the first
 * @param bodyBytesMax bodies up to so many bytes are kept, to be sent again
 * @param anyMethod whether requests that aren't idempotent are sent again too, though a node may have acted on them
 * @param hedge whether a try that waits for unusually long is joined by another one
 */
public record RetryConfig(
        int triesMax,
        List<Integer> statuses,
        long tryNanos,
        boolean silentOnly,
        long totalNanos,
        int bodyBytesMax,
        boolean anyMethod,
        HedgeConfig hedge) {

    /** What holds where sigma.json says nothing. */
    public static final RetryConfig DEFAULT = new RetryConfig(
            3,
            List.of(500, 502, 503, 504),
            TimeUnit.SECONDS.toNanos(10),
            true,
            TimeUnit.SECONDS.toNanos(30),
            64 * 1024,
            false,
            HedgeConfig.DEFAULT);

    public RetryConfig {
        statuses = List.copyOf(statuses);
    }

    /** Whether an answer of that status is asked of another node. */
    public boolean covers(int status) {
        for (int i = 0; i < statuses.size(); i++) {
            if (statuses.get(i) == status) {
                return true;
            }
        }
        return false;
    }
}
