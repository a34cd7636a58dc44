package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.BoltListenerConfig.Bounds;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** Makes the records of what sigma.json says of Bolt. */
final class BoltBuilder {
    private final Json root;
    private final Limits limits;
    private final Timeouts timeouts;
    private final Map<String, Json> passes = new HashMap<>();

    BoltBuilder(Json root, Limits limits, Timeouts timeouts) {
        this.root = root;
        this.limits = limits;
        this.timeouts = timeouts;
        for (Json pass : root.itemsOf("proxy-pass")) {
            passes.put(pass.text("id", ""), pass);
        }
    }

    BoltConfig build(Map<String, TlsConfig> tls) {
        List<BoltListenerConfig> listeners = new ArrayList<>();
        for (Json server : IdCheck.boltServers(root)) {
            if (!BoltCheck.isRelay(server)) {
                listeners.add(listener(server, tls.get(server.text("id", ""))));
            }
        }
        BoltConfig otherwise = BoltConfig.DEFAULT;
        Json nodes = ConfigBuilder.section(ConfigBuilder.section(root, "proxy-client"), "bolt");
        return new BoltConfig(
                listeners,
                nodes.integer("connections-per-node", otherwise.connectionsPerNode()),
                nodes.integer("max-requests-in-flight", otherwise.requestsPerNodeMax()),
                SectionBuilder.nanos(nodes, "heartbeat-interval", otherwise.heartbeatIntervalNanos()),
                nodes.integer("heartbeat-misses", otherwise.heartbeatMissesMax()));
    }

    private BoltListenerConfig listener(Json server, @Nullable TlsConfig tls) {
        Bounds otherwise = Bounds.DEFAULT;
        return new BoltListenerConfig(
                server.text("id", ""),
                server.text("desc", ""),
                server.text("host", ListenerConfig.HOST_DEFAULT),
                server.integer("port", 0),
                ConfigBuilder.plugins(server),
                new Bounds(
                        server.integer("max-connections", otherwise.connectionsMax()),
                        SectionBuilder.nanos(server, "idle-timeout", otherwise.idleTimeoutNanos()),
                        server.flag("tcp-keep-alive", otherwise.tcpKeepAlive()),
                        SectionBuilder.bytes(server, "max-frame-size", otherwise.frameBytesMax()),
                        server.integer("max-requests-in-flight", otherwise.requestsInFlightMax()),
                        SectionBuilder.bytes(server, "max-unsent", otherwise.unsentBytesMax())),
                routes(server),
                limits,
                timeouts,
                tls);
    }

    private List<BoltRouteConfig> routes(Json server) {
        long timeoutNanos =
                SectionBuilder.nanos(server, "request-timeout", BoltListenerConfig.REQUEST_TIMEOUT_NANOS_DEFAULT);
        List<BoltRouteConfig> routes = new ArrayList<>();
        for (Json router : root.itemsOf("router")) {
            boolean ofServer = router.text("proxy-server-id", "").equals(server.text("id", ""));
            for (Json route : ofServer && router.flag("enable", true) ? router.itemsOf("route") : List.<Json>of()) {
                if (route.flag("enable", true)) {
                    routes.add(route(router, route, timeoutNanos));
                }
            }
        }
        return routes;
    }

    private BoltRouteConfig route(Json router, Json route, long timeoutNanos) {
        String passId = route.text("proxy-pass-id", "");
        Json pass = passes.get(passId);
        Json timeout = pass == null ? null : pass.get("timeout");
        long passNanos = timeoutNanos;
        if (timeout != null) {
            passNanos = timeout.isText()
                    ? Units.durationNanos(timeout.text())
                    : SectionBuilder.nanos(timeout, "response", timeoutNanos);
        }
        return new BoltRouteConfig(
                router.text("id", ""),
                route.text("id", ""),
                route.text("class-name", ""),
                ConfigBuilder.matches(route, "header"),
                passId,
                passNanos);
    }

    /** A server in mode relay is one of TCP in all but what its nodes are said to speak. */
    static TcpListenerConfig relay(Json server, Limits limits, Timeouts timeouts, @Nullable TlsConfig tls) {
        Bounds otherwise = Bounds.DEFAULT;
        return new TcpListenerConfig(
                server.text("id", ""),
                server.text("desc", ""),
                server.text("host", ListenerConfig.HOST_DEFAULT),
                server.integer("port", 0),
                List.of(),
                server.text("proxy-pass-id", ""),
                ConfigBuilder.plugins(server),
                server.integer("max-connections", otherwise.connectionsMax()),
                SectionBuilder.nanos(server, "idle-timeout", otherwise.idleTimeoutNanos()),
                server.flag("tcp-keep-alive", otherwise.tcpKeepAlive()),
                false,
                List.of(),
                limits,
                timeouts,
                tls,
                Protocol.BOLT);
    }
}
