package net.oooops.sigma.admin;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.upstream.NodeRegistry;

/**
 * Where answers come from. All of it may be asked on any thread, and costs the Workers nothing.
 *
 * @param counters what all Workers have counted
 * @param nodes the Upstreams, and what is known of their nodes
 * @param checks what active checks know of nodes
 * @param ticks for each Worker, how often its event loop has come round
 * @param draining whether the gateway is about to end
 */
public record Sources(
        Supplier<Counters> counters,
        NodeRegistry nodes,
        Supplier<List<Checked>> checks,
        List<LongSupplier> ticks,
        BooleanSupplier draining) {
    public Sources {
        ticks = List.copyOf(ticks);
    }

    /**
     * What active checks know of a node.
     *
     * @param upstreamId of its Upstream
     * @param node its host and port
     * @param passedCount checks that passed
     * @param failedCount checks that failed
     * @param latencyNanos how long the last check took that passed; 0 where none did
     */
    public record Checked(String upstreamId, String node, long passedCount, long failedCount, long latencyNanos) {}
}
