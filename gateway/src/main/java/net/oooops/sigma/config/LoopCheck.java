package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Warns of nodes that are servers of the same file which lead back to them: what comes would go round for ever. A node that is another server,
 * which leads elsewhere, is none.
 */
final class LoopCheck {
    private static final String LOCALHOST = "localhost";

    private final Json root;
    private final Problems warnings;

    /** A node that is a server of this file. */
    private record Own(String upstream, Json url, Json server) {}

    /** By id of an upstream, the servers of this file that are nodes of it. */
    private final Map<String, List<Json>> serversOf = new HashMap<>();
    /** By id of a server, the ids of the upstreams that it leads to. */
    private final Map<String, Set<String>> upstreamsOf = new HashMap<>();
    /** The id of its upstream, by that of a proxy-pass. */
    private final Map<String, String> upstreams = new HashMap<>();
    /** By id. */
    private final Map<String, Json> routers = new HashMap<>();

    /** Servers that connections are opened to. */
    private final List<Json> streams;

    LoopCheck(Json root, Problems warnings) {
        this.root = root;
        this.warnings = warnings;
        this.streams = new ArrayList<>(IdCheck.servers(root));
        streams.addAll(IdCheck.tcpServers(root));
        streams.addAll(IdCheck.boltServers(root));
    }

    void check() {
        List<Own> own = new ArrayList<>();
        for (Json upstream : root.itemsOf("upstream")) {
            for (Json node : upstream.itemsOf("nodes")) {
                Json url = node.isText() ? node : node.get("url");
                Json server = url == null ? null : server(url.text());
                if (url != null && server != null) {
                    Own found = new Own(upstream.text("id", ""), url, server);
                    serversOf
                            .computeIfAbsent(found.upstream, _ -> new ArrayList<>())
                            .add(server);
                    own.add(found);
                }
            }
        }
        if (own.isEmpty()) {
            return;
        }
        ways();
        for (Own each : own) {
            if (leads(each.server, each.upstream, new HashSet<>())) {
                String id = Json.quoted(each.server.text("id", ""));
                warnings.value(
                        each.url,
                        "another node; the server " + id
                                + " of this file listens there, and leads back to this upstream: a loop");
            }
        }
    }

    /** The server that a node is; null where it is none of this file. */
    private @Nullable Json server(String url) {
        NodeConfig node = NodeUrl.node(url, NodeConfig.WEIGHT_DEFAULT);
        boolean udp = NodeScheme.of(url).protocol() == Protocol.UDP;
        for (Json server : udp ? IdCheck.udpServers(root) : streams) {
            if (server.flag("enable", true)
                    && server.integer("port", 0) == node.port()
                    && isSame(node.host(), server.text("host", ListenerConfig.HOST_DEFAULT))) {
                return server;
            }
        }
        return null;
    }

    /** Whether who connects to that node reaches who listens there. */
    private static boolean isSame(String node, String listen) {
        IpAddress of = IpAddress.parse(node.equals(LOCALHOST) ? "127.0.0.1" : node);
        IpAddress at = IpAddress.parse(listen.equals(LOCALHOST) ? "127.0.0.1" : listen);
        if (of == null || at == null) {
            return node.equalsIgnoreCase(listen);
        }
        boolean every =
                at.high() == 0 && at.low() == 0 && isLoopback(node) && (listen.equals("::") || node.indexOf(':') < 0);
        return every || of.equals(at);
    }

    private static boolean isLoopback(String host) {
        return host.equals(LOCALHOST) || host.startsWith("127.") || host.equals("::1");
    }

    /** Which servers lead to which upstreams. */
    private void ways() {
        for (Json pass : root.itemsOf("proxy-pass")) {
            upstreams.put(pass.text("id", ""), pass.text("upstream-id", ""));
        }
        root.itemsOf("router").forEach(router -> routers.put(router.text("id", ""), router));
        for (Json router : root.itemsOf("router")) {
            String server = router.text("proxy-server-id", "");
            if (!server.isEmpty()) {
                routes(router, server, new HashSet<>());
            }
        }
        List<Json> sessions = new ArrayList<>(IdCheck.sessionServers(root));
        sessions.addAll(IdCheck.boltServers(root));
        for (Json server : sessions) {
            way(server.text("id", ""), upstreams.get(server.text("proxy-pass-id", "")));
            for (Json route : server.itemsOf("route")) {
                way(server.text("id", ""), upstreams.get(route.text("proxy-pass-id", "")));
            }
        }
    }

    /** Those of a router, and of those that it leads into. */
    private void routes(Json router, String server, Set<String> seen) {
        if (!router.flag("enable", true) || !seen.add(router.text("id", ""))) {
            return;
        }
        RoutesJson.passes(router).forEach(known -> way(server, upstreams.get(known)));
        for (Json route : RoutesJson.unknown(router)) {
            if (route.flag("enable", true)) {
                way(server, upstreams.get(route.text("proxy-pass-id", "")));
                Json to = routers.get(route.text(SubRouterCheck.KEY, ""));
                if (to != null) {
                    routes(to, server, seen);
                }
            }
        }
    }

    private void way(String server, @Nullable String upstream) {
        if (upstream != null) {
            upstreamsOf.computeIfAbsent(server, _ -> new HashSet<>()).add(upstream);
        }
    }

    private boolean leads(Json server, String upstream, Set<String> seen) {
        String id = server.text("id", "");
        if (!seen.add(id)) {
            return false;
        }
        for (String next : upstreamsOf.getOrDefault(id, Set.of())) {
            if (next.equals(upstream)) {
                return true;
            }
            for (Json through : serversOf.getOrDefault(next, List.of())) {
                if (leads(through, upstream, seen)) {
                    return true;
                }
            }
        }
        return false;
    }
}
