package net.oooops.sigma.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;

/** An upstream to be balanced, without a file; consistent-hash goes by path, with the usual bound. */
record Balanced(UpstreamConfig upstream) {
    static final HashConfig BY_PATH = new HashConfig(HashConfig.By.PATH, "", 1.25);
    static final StickyConfig COOKIE = new StickyConfig(
            "c", "/", StickyConfig.SESSION, StickyConfig.Secure.AUTO, true, StickyConfig.SameSite.LAX, null);

    static Balanced by(RuleStrategy strategy, List<NodeConfig> nodes) {
        HashConfig hash = strategy == RuleStrategy.CONSISTENT_HASH ? BY_PATH : null;
        return new Balanced(
                new UpstreamConfig("u", Discovery.STATIC_CONFIG, strategy, Protocol.HTTP, nodes, hash, null));
    }

    static Balanced by(RuleStrategy strategy, int... weights) {
        return by(strategy, nodes(weights));
    }

    static Balanced byHash(HashConfig hash, List<NodeConfig> nodes) {
        return new Balanced(new UpstreamConfig(
                "u", Discovery.STATIC_CONFIG, RuleStrategy.CONSISTENT_HASH, Protocol.HTTP, nodes, hash, null));
    }

    static Balanced stickyOr(RuleStrategy strategy, int... weights) {
        HashConfig hash = strategy == RuleStrategy.CONSISTENT_HASH ? BY_PATH : null;
        return new Balanced(new UpstreamConfig(
                "u", Discovery.STATIC_CONFIG, strategy, Protocol.HTTP, nodes(weights), hash, COOKIE));
    }

    /** Nodes 10.0.0.0 and on. */
    static List<NodeConfig> nodes(int... weights) {
        List<NodeConfig> nodes = new ArrayList<>();
        for (int weight : weights) {
            nodes.add(new NodeConfig("10.0.0." + nodes.size(), 80, weight));
        }
        return nodes;
    }

    /** The balancer of that Worker, for which no time passes. */
    Balancer worker(int number) {
        return Balancer.of(upstream, upstream.nodes(), number, () -> 0);
    }

    Balancer at(LongSupplier clockNanos) {
        return Balancer.of(upstream, upstream.nodes(), 0, clockNanos);
    }
}
