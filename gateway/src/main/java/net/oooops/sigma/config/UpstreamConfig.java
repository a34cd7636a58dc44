package net.oooops.sigma.config;

import java.util.List;

/**
 * A named set of nodes and how one of them is chosen.
 *
 * @param id unique among upstreams
 * @param discovery where the nodes come from
 * @param ruleStrategy how a node is chosen
 * @param nodes in the order written, at least one, no two with the same host and port
 */
public record UpstreamConfig(String id, Discovery discovery, RuleStrategy ruleStrategy, List<NodeConfig> nodes) {

    public UpstreamConfig {
        nodes = List.copyOf(nodes);
    }

    /** Where nodes come from. */
    public enum Discovery {
        STATIC_CONFIG
    }

    /** How a node is chosen for a request. */
    public enum RuleStrategy {
        /** Smooth and weighted. */
        ROUND_ROBIN,
        RANDOM,
        LEAST_CONNECTIONS
    }
}
