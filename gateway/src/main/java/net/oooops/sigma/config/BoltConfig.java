package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is said of Bolt in mode {@code route}. Servers in mode {@code relay} are {@link TcpListenerConfig}s.
 *
 * @param listeners in the order written
 * @param connectionsPerNode connections of each Worker to one node, in each form of Bolt
 * @param requestsPerNodeMax calls under way at one node over all Workers; beyond, another node
 * @param heartbeatIntervalNanos how long nothing may come from a node before a heartbeat
 * @param heartbeatMissesMax heartbeats in a row that nothing came after, until the connection is closed
 */
public record BoltConfig(
        List<BoltListenerConfig> listeners,
        int connectionsPerNode,
        int requestsPerNodeMax,
        long heartbeatIntervalNanos,
        int heartbeatMissesMax) {

    /** What holds where sigma.json says nothing. */
    public static final BoltConfig DEFAULT = new BoltConfig(List.of(), 1, 65_536, TimeUnit.SECONDS.toNanos(15), 3);

    public BoltConfig {
        listeners = List.copyOf(listeners);
    }
}
