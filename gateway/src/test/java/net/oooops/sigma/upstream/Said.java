package net.oooops.sigma.upstream;

import java.util.List;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.RetryBudgetConfig;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import org.jspecify.annotations.Nullable;

/** What sigma.json may say of an Upstream, one thing at a time: each method sets one and returns this. */
public final class Said {
    private final String id;
    private Discovery discovery = Discovery.STATIC_CONFIG;
    private RuleStrategy strategy = RuleStrategy.ROUND_ROBIN;
    private Protocol protocol = Protocol.HTTP;
    private List<NodeConfig> nodes = List.of();
    private HealthConfig health = HealthConfig.DEFAULT;
    private RetryBudgetConfig budget = RetryBudgetConfig.DEFAULT;
    private BreakerConfig breaker = BreakerConfig.DEFAULT;
    private String zone = "";
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private @Nullable StickyConfig sticky;
    private @Nullable NodeTlsConfig tls;

    private Said(String id) {
        this.id = id;
    }

    /** One of that id. */
    public static Said of(String id) {
        return new Said(id);
    }

    /** As that one, of which nothing but its nodes and its protocol is kept. */
    public static Said as(UpstreamConfig other) {
        return of(other.id())
                .nodes(other.nodes().toArray(NodeConfig[]::new))
                .protocol(other.protocol())
                .version(other.httpVersion());
    }

    /** With a node of each of these hosts, on port 80. */
    public Said hosts(String... hosts) {
        nodes = List.of(hosts).stream().map(host -> new NodeConfig(host, 80, 1)).toList();
        return this;
    }

    public Said nodes(NodeConfig... of) {
        nodes = List.of(of);
        return this;
    }

    public Said strategy(RuleStrategy by) {
        strategy = by;
        return this;
    }

    public Said discovery(Discovery from) {
        discovery = from;
        return this;
    }

    public Said protocol(Protocol spoken) {
        protocol = spoken;
        return this;
    }

    public Said version(HttpVersion spoken) {
        version = spoken;
        return this;
    }

    public Said health(HealthConfig by) {
        health = by;
        return this;
    }

    /** Judged by traffic or not, and all used where fewer than that part are available. */
    public Said passive(boolean enabled, int panicPercent) {
        return passive(enabled, PassiveConfig.DEFAULT.ejectedPercentMax(), panicPercent);
    }

    /** No more than that part may be out. */
    public Said ejectedPercentMax(int percent) {
        return passive(true, percent, PassiveConfig.DEFAULT.panicPercent());
    }

    private Said passive(boolean enabled, int ejectedPercentMax, int panicPercent) {
        PassiveConfig from = PassiveConfig.DEFAULT;
        return health(new HealthConfig(
                health.active(),
                new PassiveConfig(
                        enabled,
                        from.faultsMax(),
                        from.timeoutsMax(),
                        from.errorsMax(),
                        from.silenceNanos(),
                        from.intervalNanos(),
                        from.comparedMin(),
                        from.ejectionNanos(),
                        from.ejectionNanosMax(),
                        ejectedPercentMax,
                        panicPercent,
                        from.trials(),
                        from.slowStartNanos())));
    }

    public Said budget(int percent, int perSecondMin) {
        budget = new RetryBudgetConfig(percent, perSecondMin);
        return this;
    }

    /** So many connections, and requests in flight, at most. */
    public Said breaker(int connectionsMax, int requestsMax) {
        BreakerConfig from = BreakerConfig.DEFAULT;
        breaker = new BreakerConfig(
                connectionsMax,
                from.pendingMax(),
                requestsMax,
                from.retriesMax(),
                from.errorPercent(),
                from.intervalNanos(),
                from.requestsMin(),
                from.openNanos(),
                from.trials(),
                from.adaptive());
        return this;
    }

    public Said breaker(BreakerConfig by) {
        breaker = by;
        return this;
    }

    public Said zone(String own) {
        zone = own;
        return this;
    }

    public Said sticky(StickyConfig cookie) {
        sticky = cookie;
        return this;
    }

    public Said tls(NodeTlsConfig spoken) {
        tls = spoken;
        return this;
    }

    /** All of it. */
    public UpstreamConfig config() {
        return new UpstreamConfig(
                id, discovery, strategy, protocol, nodes, health, budget, breaker, zone, null, sticky, version, tls);
    }
}
