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
 * @param passive how nodes are judged by the traffic that they get
 * @param budget how many requests may be sent again
 * @param breaker what it is kept from taking
 * @param zone whose nodes are preferred; empty: none is
 */
public record UpstreamConfig(
        String id,
        Discovery discovery,
        RuleStrategy ruleStrategy,
        Protocol protocol,
        List<NodeConfig> nodes,
        PassiveConfig passive,
        RetryBudgetConfig budget,
        BreakerConfig breaker,
        String zone) {

    public UpstreamConfig {
        nodes = List.copyOf(nodes);
    }

    /** One of which nothing more is said. */
    public UpstreamConfig(
            String id, Discovery discovery, RuleStrategy ruleStrategy, Protocol protocol, List<NodeConfig> nodes) {
        this(
                id,
                discovery,
                ruleStrategy,
                protocol,
                nodes,
                PassiveConfig.DEFAULT,
                RetryBudgetConfig.DEFAULT,
                BreakerConfig.DEFAULT,
                "");
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
        /** Whatever client and node make of it: datagrams pass unread. */
        UDP,
        /** Frames of Bolt, or sessions of it. */
        BOLT;

        /** Whether only sessions pass. */
        public boolean isOfSessions() {
            return this == TCP || this == UDP;
        }
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
