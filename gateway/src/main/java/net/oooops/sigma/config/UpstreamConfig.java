package net.oooops.sigma.config;

import java.util.List;

/**
 * A named set of nodes and how one of them is chosen.
 *
 * @param id unique among upstreams
 * @param discovery where the nodes come from
 * @param ruleStrategy how a node is chosen
 * @param protocol what its nodes speak
 * @param nodes in the order written, at least one, no two with the same host and port
 */
public record UpstreamConfig(
        String id, Discovery discovery, RuleStrategy ruleStrategy, Protocol protocol, List<NodeConfig> nodes) {

    public UpstreamConfig {
        nodes = List.copyOf(nodes);
    }

    /** Where nodes come from. */
    public enum Discovery {
        STATIC_CONFIG
    }

    /** What nodes speak, as the scheme of their URLs says. */
    public enum Protocol {
        HTTP,
        /** Whatever client and node make of it: bytes pass unread. */
        TCP,
        /** Frames of Bolt, or sessions of it. */
        BOLT
    }

    /** How a node is chosen for a request or a session. */
    public enum RuleStrategy {
        /** Smooth and weighted. */
        ROUND_ROBIN,
        RANDOM,
        LEAST_CONNECTIONS,
        /** By the client's address; for sessions and calls. */
        SOURCE_HASH
    }
}
