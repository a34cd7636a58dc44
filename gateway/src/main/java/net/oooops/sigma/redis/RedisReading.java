package net.oooops.sigma.redis;

import java.util.Map;
import net.oooops.sigma.api.RedisException.Kind;

/**
 * What is counted of one Redis, as it is now.
 *
 * @param connectionsCount those that may be used
 * @param waitingCount commands that have no answer yet
 * @param commandsCount that were sent, or are to be
 * @param failureCounts those that got no answer, or weren't sent
 */
public record RedisReading(
        String id, long connectionsCount, long waitingCount, long commandsCount, Map<Kind, Long> failureCounts) {
    public RedisReading {
        failureCounts = Map.copyOf(failureCounts);
    }
}
