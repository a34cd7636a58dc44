package net.oooops.sigma.balance;

import java.util.List;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;

/**
 * Picks the node of an upstream that takes a request or a session. Nodes are the numbers from 0 in the order written.
 *
 * <p>Belongs to one event loop and knows only what that one sends. Allocates nothing after it is made.
 */
public interface Balancer {
    /**
     * The node for the next request or try, or -1 where all are in {@code tried}. Counts nothing: {@link #started} follows when the
     * request is really given to the node.
     */
    int pick(Tried tried);

    /** A request was given to the node. To be followed by one {@link #ended}. */
    default void started(int node) {}

    /** A request that was given to the node is over, in whichever way. */
    default void ended(int node) {}

    /**
     * A balancer over these nodes.
     *
     * @param strategy how nodes are picked
     * @param nodes with weights of at least 1 each
     * @param seed another for each Worker, such as its number: so that they don't all begin with the same node
     * @throws IllegalArgumentException where there is no node, or a weight below 1
     */
    static Balancer of(RuleStrategy strategy, List<NodeConfig> nodes, int seed) {
        int[] weights = nodes.stream().mapToInt(NodeConfig::weight).toArray();
        return switch (strategy) {
            case ROUND_ROBIN -> new RoundRobin(weights, seed);
            case RANDOM -> new RandomChoice(weights, seed);
            case LEAST_CONNECTIONS -> new LeastConnections(weights, seed);
            case SOURCE_HASH ->
                new SourceHash(nodes.stream().map(NodeConfig::hostAndPort).toList(), weights);
        };
    }
}
