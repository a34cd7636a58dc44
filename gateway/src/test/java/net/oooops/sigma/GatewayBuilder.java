package net.oooops.sigma;

import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.HedgeConfig;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.ProxyProtocol;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.config.RetryBudgetConfig;
import net.oooops.sigma.config.RetryConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link GatewayFixture} is to be: a configuration with one listener, one router, one proxy-pass and one upstream. Each method sets one
 * thing and returns this; what a test doesn't name is as in an empty sigma.json, the one route excepted: {@code /*} where none is given.
 */
public final class GatewayBuilder {
    /** {@code -Dsigma.test.transport=EPOLL}: every gateway that names none uses that one. */
    private static final RuntimeConfig.Transport TRANSPORT =
            RuntimeConfig.Transport.valueOf(System.getProperty("sigma.test.transport", "AUTO"));

    /** {@code -Dsigma.test.thread-model=INDIVIDUAL_GROUP}: every gateway that names none uses that one. */
    private static final RuntimeConfig.ThreadModel THREAD_MODEL =
            RuntimeConfig.ThreadModel.valueOf(System.getProperty("sigma.test.thread-model", "REUSE_SERVER_THREAD"));

    /** {@code -Dsigma.test.tls=true}: every gateway encrypts, and so does who connects through a fixture. */
    static final boolean ENCRYPTED = Boolean.getBoolean("sigma.test.tls");

    private final List<NodeConfig> nodes = new ArrayList<>();
    private final List<PluginConfig> plugins = new ArrayList<>();
    private final List<RouteConfig> routes = new ArrayList<>();
    private final List<String> virtualHosts = new ArrayList<>();
    private final List<Cidr> trustedProxies = new ArrayList<>();
    private final Map<Integer, ErrorPage> errorPages = new HashMap<>();
    private AllowForward allowForward = AllowForward.NONE;
    private Limits limits = Limits.DEFAULT;
    private Timeouts timeouts = Timeouts.DEFAULT;
    private ClientConfig client = new ClientConfig(64, 2_000_000_000L, 55_000_000_000L, 1024, 3_000_000_000L);
    private ProxyPassConfig proxyPass = new ProxyPassConfig(
            "pass", "upstream", List.of(), 30_000_000_000L, 60_000_000_000L, true, ProxyProtocol.NONE);
    private @Nullable ActiveCheckConfig checks;
    private PassiveConfig passive = PassiveConfig.DEFAULT;
    private RetryBudgetConfig budget = RetryBudgetConfig.DEFAULT;
    private BreakerConfig breaker = BreakerConfig.DEFAULT;
    private String zone = "";
    private UpstreamConfig.RuleStrategy strategy = UpstreamConfig.RuleStrategy.ROUND_ROBIN;
    private @Nullable HashConfig hash;
    private @Nullable StickyConfig sticky;
    private RuntimeConfig runtime = new RuntimeConfig(
            TRANSPORT, THREAD_MODEL, RuntimeConfig.Allocator.ADAPTIVE, 0, 0, RuntimeConfig.Memory.DEFAULT);
    private ClassLoader loader = GatewayFixture.class.getClassLoader();
    private @Nullable PluginCatalog catalog;
    private int workers = 1;
    private ListenerConfig.Http2 http2 = ListenerConfig.Http2.TOO;
    private HttpVersion nodeVersion = HttpVersion.HTTP_1_1;
    private int contentBytesMax;
    private @Nullable NodeTlsConfig nodeTls = EncryptedNodes.WANTED ? Encryption.SHARED.ofNodes() : null;
    private @Nullable TlsConfig tls = ENCRYPTED ? Encryption.SHARED.config() : null;
    private int port;
    private @Nullable AdminConfig admin;
    private @Nullable AccessLogConfig accessLog;
    private List<RedisConfig> redis = List.of();

    GatewayBuilder() {}

    /** One component of {@link Limits}, by its name. */
    public GatewayBuilder limit(String name, long value) {
        limits = ChangedRecord.with(limits, name, value);
        return this;
    }

    /** One component of {@link Http2Limits}, by its name. */
    public GatewayBuilder http2Limit(String name, int value) {
        limits = ChangedRecord.with(limits, "http2", ChangedRecord.with(limits.http2(), name, value));
        return this;
    }

    /** One component of {@link Timeouts} that is a time, by its name. */
    public GatewayBuilder timeout(String name, Duration value) {
        timeouts = ChangedRecord.with(timeouts, name, value.toNanos());
        return this;
    }

    /** The rate that a request body must keep, and from when on. */
    public GatewayBuilder bodyMinRate(long bytesPerSecond, Duration after) {
        timeouts = ChangedRecord.with(timeouts, "bodyMinRateBytesPerSecond", bytesPerSecond);
        return timeout("bodyMinRateAfterNanos", after);
    }

    /** One component of {@link ClientConfig}, by its name: a number, or a {@link Duration}. */
    public GatewayBuilder client(String name, Object value) {
        client = ChangedRecord.with(client, name, value instanceof Duration time ? time.toNanos() : value);
        return this;
    }

    /** One component of {@link ProxyPassConfig}, by its name. */
    public GatewayBuilder proxyPass(String name, Object value) {
        proxyPass = ChangedRecord.with(proxyPass, name, value instanceof Duration time ? time.toNanos() : value);
        return this;
    }

    /** One component of {@link RetryConfig}, by its name. */
    public GatewayBuilder retry(String name, Object value) {
        RetryConfig retry = proxyPass.retry();
        return proxyPass(
                "retry", ChangedRecord.with(retry, name, value instanceof Duration time ? time.toNanos() : value));
    }

    /** A request that waits for longer than nearly all others, and so long, is sent to another node, too; a part of them at most. */
    public GatewayBuilder hedge(Duration delayMin, int percentMax) {
        return retry("hedge", new HedgeConfig(true, delayMin.toNanos(), percentMax));
    }

    /** What was sent isn't sent again. */
    public GatewayBuilder withoutRetries() {
        return retry("triesMax", 1);
    }

    /** One component of {@link PassiveConfig}, by its name. */
    public GatewayBuilder passive(String name, Object value) {
        passive = ChangedRecord.with(passive, name, value instanceof Duration time ? time.toNanos() : value);
        return this;
    }

    /** What nodes are asked now and then. */
    public GatewayBuilder checked(ActiveCheckConfig active) {
        checks = active;
        return this;
    }

    /** How many requests may be sent again. */
    public GatewayBuilder budget(int percent, int perSecondMin) {
        budget = new RetryBudgetConfig(percent, perSecondMin);
        return this;
    }

    /** One component of {@link BreakerConfig}, by its name. */
    public GatewayBuilder breaker(String name, Object value) {
        breaker = ChangedRecord.with(breaker, name, value instanceof Duration time ? time.toNanos() : value);
        return this;
    }

    /** Where the gateway is. */
    public GatewayBuilder zone(String name) {
        zone = name;
        return this;
    }

    /** One component of {@link RuntimeConfig}, by its name. */
    public GatewayBuilder runtime(String name, Object value) {
        runtime = ChangedRecord.with(runtime, name, value);
        return this;
    }

    /** One component of {@link RuntimeConfig.Memory}, by its name. */
    public GatewayBuilder memory(String name, int value) {
        return runtime("memory", ChangedRecord.with(runtime.memory(), name, value));
    }

    /** How sockets are driven; {@code AUTO} where it isn't said. */
    public GatewayBuilder transport(RuntimeConfig.Transport transport) {
        return runtime("transport", transport);
    }

    /** The port to listen on; any free one where it isn't said. */
    public GatewayBuilder port(int number) {
        port = number;
        return this;
    }

    /** Asked from outside on a free port of the loopback address; ready while these upstreams are. */
    public GatewayBuilder admin(String... readyUpstreams) {
        admin = new AdminConfig(AdminConfig.HOST_DEFAULT, 0, List.of(readyUpstreams));
        return this;
    }

    /** How many event loops, 1 where it isn't said. */
    public GatewayBuilder workers(int count) {
        workers = count;
        return this;
    }

    /** How nodes are chosen. */
    public GatewayBuilder strategy(UpstreamConfig.RuleStrategy ruleStrategy) {
        strategy = ruleStrategy;
        return this;
    }

    /** What requests are hashed by, with {@code CONSISTENT_HASH}. */
    public GatewayBuilder hash(HashConfig by) {
        strategy = UpstreamConfig.RuleStrategy.CONSISTENT_HASH;
        hash = by;
        return this;
    }

    /** The cookie that keeps clients at their nodes. */
    public GatewayBuilder sticky(StickyConfig cookie) {
        sticky = cookie;
        return this;
    }

    /** A further node. */
    public GatewayBuilder node(String host, int port, int weight) {
        nodes.add(new NodeConfig(host, port, weight));
        return this;
    }

    /** A further node of the loopback address. */
    public GatewayBuilder node(int port, boolean backup, String ofZone) {
        nodes.add(new NodeConfig("127.0.0.1", port, 1, backup, ofZone));
        return this;
    }

    /** A plugin of the listener. */
    public GatewayBuilder plugin(String name, Object settings) {
        plugins.add(GatewayFixture.plugin(name, settings));
        return this;
    }

    /** Where plugins are looked for. */
    public GatewayBuilder plugins(ClassLoader from) {
        loader = from;
        return this;
    }

    /** The same, where another configuration is to be made with the same factories. */
    public GatewayBuilder plugins(PluginCatalog there) {
        catalog = there;
        return this;
    }

    /** A route without conditions. */
    public GatewayBuilder route(String path, PluginConfig... ofRoute) {
        return route(path, List.of(), ofRoute);
    }

    /** A route for these methods. */
    public GatewayBuilder route(String path, List<String> allowMethods, PluginConfig... ofRoute) {
        return route(new RouteConfig(
                "route" + routes.size(),
                "",
                path,
                allowMethods,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                "pass",
                List.of(ofRoute)));
    }

    /** A route; its proxy-pass is {@code pass}. */
    public GatewayBuilder route(RouteConfig route) {
        routes.add(route);
        return this;
    }

    /** A virtual host of the router; without any it is for every host. */
    public GatewayBuilder virtualHost(String host) {
        virtualHosts.add(host);
        return this;
    }

    /** Which forwarding fields are believed, and from whom. */
    public GatewayBuilder allowForward(AllowForward allow, String... trusted) {
        allowForward = allow;
        Arrays.stream(trusted).map(Cidr::parse).forEach(trustedProxies::add);
        return this;
    }

    /** How its connections are encrypted. */
    public GatewayBuilder tls(@Nullable TlsConfig config) {
        tls = config;
        return this;
    }

    /** How it speaks to its nodes over TLS; null: in the clear. */
    public GatewayBuilder nodeTls(@Nullable NodeTlsConfig config) {
        nodeTls = config;
        return this;
    }

    /** Its connections are encrypted, with a certificate for localhost. */
    public GatewayBuilder encrypted() {
        return tls(Encryption.SHARED.config());
    }

    /** Whether HTTP/2, or nothing else, may be spoken on plain connections. */
    public GatewayBuilder http2(ListenerConfig.Http2 may) {
        http2 = may;
        return this;
    }

    /** Nodes are spoken to in HTTP/2. */
    public GatewayBuilder http2Nodes() {
        return nodeVersion(HttpVersion.HTTP_2);
    }

    /** Which version of HTTP nodes are spoken to in. */
    public GatewayBuilder nodeVersion(HttpVersion version) {
        nodeVersion = version;
        return this;
    }

    /** Bodies are collected whole. */
    public GatewayBuilder contentBytesMax(int bytes) {
        contentBytesMax = bytes;
        return this;
    }

    /** What plugins may use. */
    public GatewayBuilder redis(RedisConfig... there) {
        redis = List.of(there);
        return this;
    }

    /** Each exchange leaves a line of JSON there. */
    public GatewayBuilder accessLog(Path file) {
        accessLog = new AccessLogConfig(AccessLogConfig.Format.JSON, file.toString(), 8192);
        return this;
    }

    /** The page for a status of the gateway's own. */
    public GatewayBuilder errorPage(int status, ErrorPage page) {
        errorPages.put(status, page);
        return this;
    }

    /** What it would be in a file. */
    public SigmaConfig config() {
        if (routes.isEmpty()) {
            route("/*");
        }
        return new SigmaConfig(
                List.of(new ListenerConfig(
                        "listener",
                        "listener",
                        "",
                        "127.0.0.1",
                        port,
                        contentBytesMax,
                        plugins,
                        limits,
                        timeouts,
                        http2,
                        tls)),
                List.of(),
                BoltConfig.DEFAULT,
                List.of(),
                client,
                List.of(new RouterConfig(
                        "router", "", "listener", virtualHosts, allowForward, trustedProxies, List.of(), routes)),
                List.of(proxyPass),
                List.of(new UpstreamConfig(
                        "upstream",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        strategy,
                        UpstreamConfig.Protocol.HTTP,
                        nodes,
                        new HealthConfig(checks, passive),
                        budget,
                        breaker,
                        zone,
                        hash,
                        sticky,
                        nodeVersion,
                        nodeTls)),
                accessLog,
                errorPages,
                runtime,
                admin,
                redis);
    }

    /** Starts it; it listens when this returns. */
    public GatewayFixture start() {
        Needed.transport(runtime.transport());
        try {
            Snapshot snapshot =
                    SnapshotCompiler.compile(config(), catalog == null ? new PluginCatalog(loader) : catalog);
            return new GatewayFixture(Gateway.start(snapshot, workers, new VertxOptions()), snapshot);
        } catch (StartException e) {
            throw new AssertionError("the gateway doesn't start: " + e.getMessage(), e);
        }
    }
}
