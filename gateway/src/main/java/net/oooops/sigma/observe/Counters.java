package net.oooops.sigma.observe;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;

/**
 * What all Workers counted until some moment. Immutable; maps are in the order of their names' declaration.
 *
 * @param counts by {@link Counter#label}
 * @param faults failed requests by {@link Fault#name}
 * @param refusals refused messages by the reason's name
 * @param pools sizes of pools over all Workers, in the order of their making
 * @param shadows what plugins in shadow would have done
 */
public record Counters(
        Map<String, Long> counts,
        Map<String, Long> faults,
        Map<String, Long> refusals,
        List<Pool> pools,
        List<Shadow> shadows) {

    /**
     * What a plugin in shadow would have done.
     *
     * @param plugin its name
     * @param outcome a word for it
     * @param status what it would have answered; 0 where it wouldn't
     * @param reason why, or what, in a word; empty where it doesn't say
     * @param count how often
     */
    public record Shadow(String plugin, String outcome, int status, String reason, long count) {}

    /**
     * The connections to one Node.
     *
     * @param upstreamId of the Upstream
     * @param node as {@code host:port}
     * @param open connections, busy, idle and being opened
     * @param idle connections that no request uses
     * @param held connections in use that a slow client holds
     * @param waiting requests that wait for a connection
     */
    public record Pool(String upstreamId, String node, int open, int idle, int held, int waiting) {
        Pool plus(Pool other) {
            return new Pool(
                    upstreamId, node, open + other.open, idle + other.idle, held + other.held, waiting + other.waiting);
        }
    }

    /** The number counted under that name. */
    public long count(Counter counter) {
        return counts.getOrDefault(counter.label(), 0L);
    }

    /** How many requests failed in that way. */
    public long faults(Fault fault) {
        return faults.getOrDefault(fault.name(), 0L);
    }

    /** How many messages were refused for that reason; 0 where there is no such reason. */
    public long refusals(String reason) {
        return refusals.getOrDefault(reason, 0L);
    }
}
