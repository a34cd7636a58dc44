package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes and how one of them is chosen.
 *
 * @param id unique among upstreams
 * @param discovery where the nodes come from
 * @param ruleStrategy how a node is chosen
 * @param protocol what its nodes speak
 * @param nodes in the order written, no two with the same host and port; at least one, unless they are a service's: then there are
 *     none yet
 * @param health how it is found out which of them can be used
 * @param budget how many requests may be sent again
 * @param breaker what it is kept from taking
 * @param zone whose nodes are preferred; empty: none is
 * @param hash what a request is hashed by; there with {@link RuleStrategy#CONSISTENT_HASH} and only then
 * @param sticky the cookie that keeps a client at its node, or null where there is none; for HTTP only
 * @param httpVersion which version its nodes, of HTTP, are spoken to in
 * @param tls how its nodes are spoken to over TLS, or null where they are spoken to in the clear
 */
public record UpstreamConfig(
        String id,
        Discovery discovery,
        RuleStrategy ruleStrategy,
        Protocol protocol,
        List<NodeConfig> nodes,
        HealthConfig health,
        RetryBudgetConfig budget,
        BreakerConfig breaker,
        String zone,
        @Nullable HashConfig hash,
        @Nullable StickyConfig sticky,
        HttpVersion httpVersion,
        @Nullable NodeTlsConfig tls) {

    public UpstreamConfig {
        nodes = List.copyOf(nodes);
    }

    /** One of which nothing is said of failing nodes. */
    public UpstreamConfig(
            String id,
            Discovery discovery,
            RuleStrategy ruleStrategy,
            Protocol protocol,
            List<NodeConfig> nodes,
            @Nullable HashConfig hash,
            @Nullable StickyConfig sticky) {
        this(
                id,
                discovery,
                ruleStrategy,
                protocol,
                nodes,
                HealthConfig.DEFAULT,
                RetryBudgetConfig.DEFAULT,
                BreakerConfig.DEFAULT,
                "",
                hash,
                sticky,
                HttpVersion.HTTP_1_1,
                null);
    }

    /** One of which nothing is said but how its nodes are checked. */
    public UpstreamConfig(
            String id,
            Discovery discovery,
            RuleStrategy ruleStrategy,
            Protocol protocol,
            List<NodeConfig> nodes,
            HealthConfig health) {
        this(
                id,
                discovery,
                ruleStrategy,
                protocol,
                nodes,
                health,
                RetryBudgetConfig.DEFAULT,
                BreakerConfig.DEFAULT,
                "",
                null,
                null,
                HttpVersion.HTTP_1_1,
                null);
    }

    /** One of which nothing more is said. */
    public UpstreamConfig(
            String id, Discovery discovery, RuleStrategy ruleStrategy, Protocol protocol, List<NodeConfig> nodes) {
        this(id, discovery, ruleStrategy, protocol, nodes, null, null);
    }

    /** The same with other nodes. */
    public UpstreamConfig with(List<NodeConfig> now) {
        return new UpstreamConfig(
                id,
                discovery,
                ruleStrategy,
                protocol,
                now,
                health,
                budget,
                breaker,
                zone,
                hash,
                sticky,
                httpVersion,
                tls);
    }

    /** How the URLs of its nodes begin, or could: those of {@code http://} that are spoken to in HTTP/2 are as those of {@code h2c://}. */
    public NodeScheme scheme() {
        boolean http2 = httpVersion == HttpVersion.HTTP_2;
        for (NodeScheme scheme : NodeScheme.values()) {
            if (scheme.protocol() == protocol && scheme.isSecure() == (tls != null) && scheme.isHttp2() == http2) {
                return scheme;
            }
        }
        throw new IllegalStateException(protocol + " over TLS");
    }

    /**
     * How a node is named in logs, and of HTTP in the Host field: {@code host:port}, IPv6 in brackets, the port left out where it is that
     * of the scheme (RFC 9110 section 4.2.3).
     */
    public String authority(NodeConfig node) {
        return node.authority(scheme().portDefault());
    }

    /** Whether its nodes are spoken to in the same way as those of that one. */
    public boolean isSpokenToAs(UpstreamConfig other) {
        NodeTlsConfig others = other.tls;
        return protocol == other.protocol
                && httpVersion == other.httpVersion
                && (tls == null ? others == null : others != null && tls.isAs(others));
    }

    /** Where nodes come from. */
    public sealed interface Discovery {
        /** They are written in sigma.json. */
        Discovery STATIC_CONFIG = new Written();

        /** They are written in sigma.json. */
        record Written() implements Discovery {}

        /** They are written in a file of their own, which may change. */
        record OfFile(Path file) implements Discovery {}

        /** They are the SRV records of a service, by its name in DNS without a dot at its end. */
        record OfSrv(String name) implements Discovery {}
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

    /** Which version of HTTP nodes are spoken to in. */
    public enum HttpVersion {
        HTTP_1_1,
        HTTP_2,
        /** The one that each handshake agrees on, HTTP/2 rather than HTTP/1.1 (ALPN, RFC 7301). */
        AGREED
    }

    /** How a node is chosen for a request or a session. */
    public enum RuleStrategy {
        /** Smooth and weighted. */
        ROUND_ROBIN,
        RANDOM,
        LEAST_CONNECTIONS,
        /** Of two at random, the one with less to wait for. */
        P2C,
        /** By the client's address. */
        SOURCE_HASH,
        /** By a part of the request, unless its node has too much to do. */
        CONSISTENT_HASH
    }
}
