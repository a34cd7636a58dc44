package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.crypto.SecretKey;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import org.jspecify.annotations.Nullable;

/** Makes records of a tree in which no problem was found: fills in defaults and leaves out what is not enabled. */
final class ConfigBuilder {

    /** The plugin that may be switched on for all servers in the clear. */
    static final String REDIRECT = "http-redirect-https";

    private static final Json EMPTY = new Json(Json.Anchor.ROOT, Json.Kind.OBJECT, Map.of(), 1, 1);

    private ConfigBuilder() {}

    /**
     * What stands in other files.
     *
     * @param errorPages by status
     * @param stickyKeys by the upstream's id, of those that have one
     * @param tls by the server's id, of those that end TLS
     * @param nodeTls by the upstream's id, of those whose nodes are spoken to over TLS
     * @param nodes by the upstream's id, of those whose nodes stand in a file
     * @param redis those that plugins may use
     */
    record Files(
            Map<Integer, ErrorPage> errorPages,
            Map<String, SecretKey> stickyKeys,
            Map<String, TlsConfig> tls,
            Map<String, NodeTlsConfig> nodeTls,
            Map<String, List<NodeConfig>> nodes,
            List<RedisConfig> redis) {}

    static SigmaConfig build(Json root, Files files) {
        Limits limits = SectionBuilder.limits(section(root, "limits"), Limits.DEFAULT);
        Timeouts timeouts = SectionBuilder.timeouts(section(root, "timeouts"), Timeouts.DEFAULT);
        List<ListenerConfig> listeners = new ArrayList<>();
        Json ofAll = section(root, "plugins");
        Place redirects = ofAll.flag(REDIRECT, false) ? ofAll.placeInWhole() : null;
        for (Json server : IdCheck.servers(root)) {
            if (server.flag("enable", true)) {
                listeners.add(listener(server, limits, timeouts, files.tls(), redirects));
            }
        }
        List<TcpListenerConfig> tcpListeners = new ArrayList<>();
        for (Json server : IdCheck.tcpServers(root)) {
            tcpListeners.add(tcpListener(server, limits, timeouts, files.tls().get(server.text("id", ""))));
        }
        for (Json server : IdCheck.boltServers(root)) {
            if (BoltCheck.isRelay(server)) {
                tcpListeners.add(
                        BoltBuilder.relay(server, limits, timeouts, files.tls().get(server.text("id", ""))));
            }
        }
        List<UdpListenerConfig> udpListeners = new ArrayList<>();
        for (Json server : IdCheck.udpServers(root)) {
            udpListeners.add(udpListener(server, timeouts));
        }
        List<ProxyPassConfig> passes = new ArrayList<>();
        for (Json pass : root.itemsOf("proxy-pass")) {
            passes.add(proxyPass(pass));
        }
        String zone = section(root, "runtime").text("zone", "");
        List<UpstreamConfig> upstreams = new ArrayList<>();
        for (Json upstream : root.itemsOf("upstream")) {
            upstreams.add(upstream(upstream, zone, files));
        }
        return new SigmaConfig(
                listeners,
                tcpListeners,
                new BoltBuilder(root, limits, timeouts).build(files.tls()),
                udpListeners,
                SectionBuilder.client(section(root, "proxy-client")),
                routers(root),
                passes,
                upstreams,
                SectionBuilder.accessLog(section(root, "plugins").get("log-config")),
                files.errorPages(),
                SectionBuilder.runtime(section(root, "runtime")),
                SectionBuilder.admin(section(root, "proxy-server").get("admin")),
                files.redis());
    }

    static Json section(Json parent, String key) {
        Json section = parent.get(key);
        return section == null ? EMPTY : section;
    }

    private static List<RouterConfig> routers(Json root) {
        List<RouterConfig> routers = new ArrayList<>();
        Set<String> ofBolt = BoltCheck.ids(root);
        for (Json router : root.itemsOf("router")) {
            if (router.flag("enable", true) && !ofBolt.contains(router.text("proxy-server-id", ""))) {
                routers.add(router(router));
            }
        }
        return routers;
    }

    private static ListenerConfig listener(
            Json server, Limits limits, Timeouts timeouts, Map<String, TlsConfig> tls, @Nullable Place redirects) {
        String id = server.text("id", "");
        List<PluginConfig> plugins = new ArrayList<>();
        boolean own = section(server, "plugin").get(REDIRECT) != null;
        if (redirects != null && !own && tls.get(id) == null) {
            plugins.add(new PluginConfig(REDIRECT, Map.of(), redirects));
        }
        plugins.addAll(plugins(server));
        return new ListenerConfig(
                id,
                server.text("server-id", id),
                server.text("desc", ""),
                server.text("host", ListenerConfig.HOST_DEFAULT),
                server.integer("port", 0),
                SectionBuilder.bytes(server, "max-content-length", 0),
                plugins,
                SectionBuilder.limits(section(server, "limits"), limits),
                SectionBuilder.timeouts(section(server, "timeouts"), timeouts),
                http2(server),
                tls.get(id));
    }

    private static Http2 http2(Json server) {
        if (server.text("http2", "").equals("only")) {
            return Http2.ONLY;
        }
        return server.flag("http2", true) ? Http2.TOO : Http2.NEVER;
    }

    private static TcpListenerConfig tcpListener(
            Json server, Limits limits, Timeouts timeouts, @Nullable TlsConfig tls) {
        Json pass = server.get("proxy-pass-id");
        return new TcpListenerConfig(
                server.text("id", ""),
                server.text("desc", ""),
                server.text("host", ListenerConfig.HOST_DEFAULT),
                server.integer("port", 0),
                server.itemsOf("route").stream().map(ConfigBuilder::tcpRoute).toList(),
                pass == null ? null : pass.text(),
                plugins(server),
                server.integer("max-connections", TcpListenerConfig.CONNECTIONS_MAX_DEFAULT),
                SectionBuilder.nanos(server, "idle-timeout", TcpListenerConfig.IDLE_TIMEOUT_NANOS_DEFAULT),
                server.flag("tcp-keep-alive", true),
                server.flag("proxy-protocol", false),
                trustedProxies(server),
                limits,
                timeouts,
                tls,
                Protocol.TCP);
    }

    private static TcpRouteConfig tcpRoute(Json route) {
        Json match = section(route, "match");
        return new TcpRouteConfig(
                route.text("id", ""),
                match.itemsOrSelfOf("sni").stream()
                        .map(host -> host.text().toLowerCase(Locale.ROOT))
                        .toList(),
                match.itemsOrSelfOf("alpn").stream().map(Json::text).toList(),
                route.text("proxy-pass-id", ""));
    }

    private static UdpListenerConfig udpListener(Json server, Timeouts timeouts) {
        return new UdpListenerConfig(
                server.text("id", ""),
                server.text("desc", ""),
                server.text("host", ListenerConfig.HOST_DEFAULT),
                server.integer("port", 0),
                server.text("proxy-pass-id", ""),
                plugins(server),
                server.integer("max-sessions", UdpListenerConfig.SESSIONS_MAX_DEFAULT),
                SectionBuilder.nanos(server, "idle-timeout", UdpListenerConfig.IDLE_TIMEOUT_NANOS_DEFAULT),
                timeouts);
    }

    private static List<Cidr> trustedProxies(Json parent) {
        List<Cidr> trusted = new ArrayList<>();
        for (Json block : parent.itemsOf("trusted-proxies")) {
            trusted.add(Cidr.parse(block.text()));
        }
        return trusted;
    }

    private static RouterConfig router(Json router) {
        List<RouteConfig> routes = new ArrayList<>();
        for (Json route : router.itemsOf("route")) {
            RouteConfig made = route(route);
            if (made != null) {
                routes.add(made);
            }
        }
        return new RouterConfig(
                router.text("id", ""),
                router.text("desc", ""),
                router.text("proxy-server-id", ""),
                lowerCase(router, "virtual-host"),
                AllowForward.of(router.text("allow-forward", "none")),
                trustedProxies(router),
                plugins(router),
                routes);
    }

    /** Null for one that is switched off. */
    private static @Nullable RouteConfig route(Json route) {
        RouteConfig known = RouteJson.known(route);
        if (known != null || !route.flag("enable", true)) {
            return known;
        }
        RouteConfig made = newRoute(route);
        RouteJson.made(route, made);
        return made;
    }

    private static RouteConfig newRoute(Json route) {
        List<String> methods = new ArrayList<>();
        for (Json method : route.itemsOf("allow-method")) {
            methods.add(method.text());
        }
        return new RouteConfig(
                route.text("id", ""),
                route.text("desc", ""),
                route.text("path", ""),
                methods,
                lowerCase(route, "consumes"),
                lowerCase(route, "produces"),
                matches(route, "header"),
                matches(route, "query"),
                route.text("proxy-pass-id", ""),
                route.text(SubRouterCheck.KEY, ""),
                plugins(route));
    }

    private static List<String> lowerCase(Json parent, String key) {
        List<String> texts = new ArrayList<>();
        for (Json text : parent.itemsOrSelfOf(key)) {
            texts.add(text.text().toLowerCase(Locale.ROOT));
        }
        return texts;
    }

    static List<ValueMatch> matches(Json route, String key) {
        List<ValueMatch> matches = new ArrayList<>();
        for (Json match : route.itemsOf(key)) {
            matches.add(match(match));
        }
        return matches;
    }

    private static ValueMatch match(Json match) {
        String name = match.text("name", "");
        for (ValueMatch.Kind kind : List.of(ValueMatch.Kind.EXACT, ValueMatch.Kind.PREFIX, ValueMatch.Kind.REGEXP)) {
            Json value = match.get(kind.name().toLowerCase(Locale.ROOT));
            if (value != null) {
                return new ValueMatch(name, kind, value.text());
            }
        }
        return new ValueMatch(name, match.flag("present", true) ? ValueMatch.Kind.PRESENT : ValueMatch.Kind.ABSENT, "");
    }

    private static ProxyPassConfig proxyPass(Json pass) {
        Json timeout = section(pass, "timeout");
        long response = timeout.isText()
                ? Units.durationNanos(timeout.text())
                : SectionBuilder.nanos(timeout, "response", ProxyPassConfig.RESPONSE_TIMEOUT_NANOS_DEFAULT);
        return new ProxyPassConfig(
                pass.text("id", ""),
                pass.text("upstream-id", ""),
                plugins(pass),
                response,
                SectionBuilder.nanos(timeout, "idle", ProxyPassConfig.IDLE_TIMEOUT_NANOS_DEFAULT),
                pass.flag("preserve-host", true),
                choice(ProxyProtocol.class, pass.text("proxy-protocol", "none")),
                HealBuilder.retry(section(pass, "retry")),
                tunnel(pass, timeout));
    }

    private static TunnelConfig tunnel(Json pass, Json timeout) {
        Json written = pass.get("upgrade");
        TunnelConfig otherwise = TunnelConfig.DEFAULT;
        return new TunnelConfig(
                written == null
                        ? otherwise.protocols()
                        : written.items().stream().map(Json::text).toList(),
                SectionBuilder.nanos(timeout, "tunnel-idle", otherwise.idleTimeoutNanos()),
                HealBuilder.nanosOrNone(timeout, "tunnel-lifetime", otherwise.lifetimeNanos()));
    }

    private static UpstreamConfig upstream(Json upstream, String zone, Files files) {
        String id = upstream.text("id", "");
        return new UpstreamConfig(
                id,
                discovery(upstream),
                choice(RuleStrategy.class, upstream.text("rule-strategy", "round-robin")),
                ProtocolCheck.protocol(upstream),
                upstream.get(SourceCheck.FILE) == null
                        ? nodes(upstream.itemsOf("nodes"))
                        : files.nodes().getOrDefault(id, List.of()),
                HealthBuilder.health(upstream),
                HealBuilder.budget(section(upstream, "retry-budget")),
                HealBuilder.breaker(section(upstream, "breaker")),
                zone,
                BalanceBuilder.hash(upstream.get("hash")),
                BalanceBuilder.sticky(upstream.get("sticky"), files.stickyKeys().get(id)),
                ProtocolCheck.httpVersion(upstream),
                files.nodeTls().get(id));
    }

    private static Discovery discovery(Json upstream) {
        Json file = upstream.get(SourceCheck.FILE);
        Json srv = upstream.get(SourceCheck.SRV);
        if (file != null) {
            return new Discovery.OfFile(file.path());
        }
        return srv == null
                ? Discovery.STATIC_CONFIG
                : new Discovery.OfSrv(srv.text().toLowerCase(Locale.ROOT));
    }

    static List<NodeConfig> nodes(List<Json> written) {
        List<NodeConfig> nodes = new ArrayList<>();
        for (Json node : written) {
            nodes.add(node(node));
        }
        return nodes;
    }

    private static NodeConfig node(Json node) {
        if (node.isText()) {
            return NodeUrl.node(node.text(), NodeConfig.WEIGHT_DEFAULT);
        }
        NodeConfig at = NodeUrl.node(node.text("url", ""), node.integer("weight", NodeConfig.WEIGHT_DEFAULT));
        return new NodeConfig(
                at.host(), at.port(), at.weight(), node.flag("backup", false), node.text("zone", at.zone()));
    }

    static List<PluginConfig> plugins(Json parent) {
        List<PluginConfig> plugins = new ArrayList<>();
        for (Json settings : section(parent, "plugin").members().values()) {
            Object plain = settings.flag("enable", true) ? settings.plain() : null;
            if (plain != null) {
                plugins.add(new PluginConfig(settings.step(), plain, settings.placeInWhole()));
            }
        }
        return plugins;
    }

    /** The constant that a word of sigma.json names. */
    static <E extends Enum<E>> E choice(Class<E> type, String word) {
        return Enum.valueOf(type, word.replace('-', '_').toUpperCase(Locale.ROOT));
    }
}
