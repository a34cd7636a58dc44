package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ids are unique among their kind, and references lead to one. */
final class IdCheck {

    private static final int LISTED_MAX = 8;

    private final Json root;
    private final Problems problems;

    IdCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        ids(allServers(root), "a server");
        List<Json> routed = new ArrayList<>(servers(root));
        routed.addAll(boltServers(root));
        Map<String, Json> servers = byId(routed);
        Map<String, Json> passes = ids(root.itemsOf("proxy-pass"), "a proxy-pass");
        Map<String, Json> upstreams = ids(root.itemsOf("upstream"), "an upstream");
        Map<String, Json> routers = ids(root.itemsOf("router"), "a router");
        for (Json router : root.itemsOf("router")) {
            reference(router.get("proxy-server-id"), servers, "an HTTP or Bolt server");
            ids(router.itemsOf("route"), "a route");
            boolean lead = passes.keySet().containsAll(RoutesJson.passes(router));
            for (Json route : lead ? RoutesJson.unknown(router) : router.itemsOf("route")) {
                pass(route.get("proxy-pass-id"), passes, upstreams);
                reference(route.get(SubRouterCheck.KEY), routers, "a router");
            }
        }
        for (Json server : sessionServers(root)) {
            pass(server.get("proxy-pass-id"), passes, upstreams);
            ids(server.itemsOf("route"), "a route");
            for (Json route : server.itemsOf("route")) {
                pass(route.get("proxy-pass-id"), passes, upstreams);
            }
        }
        for (Json server : boltServers(root)) {
            pass(server.get("proxy-pass-id"), passes, upstreams);
        }
        for (Json reference : PluginReferences.of(root, PluginReferences.PROXY_PASS)) {
            reference(reference, passes, "a proxy-pass");
        }
        Map<String, Json> redis = ids(root.itemsOf(RedisReader.SECTION), "a Redis");
        for (Json reference : PluginReferences.of(root, PluginReferences.REDIS)) {
            reference(reference, redis, "a Redis");
        }
        Json admin = admin(root);
        if (admin != null) {
            for (Json named : admin.itemsOf("ready-upstreams")) {
                reference(named, upstreams, "an upstream");
            }
        }
        for (Json pass : root.itemsOf("proxy-pass")) {
            reference(pass.get("upstream-id"), upstreams, "an upstream");
        }
    }

    /** The entries of {@code proxy-server.http} and {@code proxy-server.https}, each of which may be one object or an array. */
    static List<Json> servers(Json root) {
        Json section = root.get("proxy-server");
        List<Json> all = new ArrayList<>();
        if (section != null) {
            all.addAll(section.itemsOrSelfOf("http"));
            all.addAll(section.itemsOrSelfOf("https"));
        }
        return all;
    }

    /** The entries of {@code proxy-server.https}. */
    static List<Json> httpsServers(Json root) {
        Json section = root.get("proxy-server");
        return section == null ? List.of() : section.itemsOrSelfOf("https");
    }

    /** The entries of {@code proxy-server.tcp}. */
    static List<Json> tcpServers(Json root) {
        Json section = root.get("proxy-server");
        return section == null ? List.of() : section.itemsOf("tcp");
    }

    /** The entries of {@code proxy-server.udp}. */
    static List<Json> udpServers(Json root) {
        Json section = root.get("proxy-server");
        return section == null ? List.of() : section.itemsOf("udp");
    }

    /** The entries of {@code proxy-server.tcp} and {@code proxy-server.udp}. */
    static List<Json> sessionServers(Json root) {
        List<Json> all = new ArrayList<>(tcpServers(root));
        all.addAll(udpServers(root));
        return all;
    }

    /** The entries of {@code proxy-server.bolt}. */
    static List<Json> boltServers(Json root) {
        Json section = root.get("proxy-server");
        return section == null ? List.of() : section.itemsOf("bolt");
    }

    /** {@code proxy-server.admin}, or null where it isn't written. */
    static @Nullable Json admin(Json root) {
        Json section = root.get("proxy-server");
        return section == null ? null : section.get("admin");
    }

    /** The entries of all sections of {@code proxy-server}. */
    static List<Json> allServers(Json root) {
        List<Json> all = new ArrayList<>(servers(root));
        all.addAll(sessionServers(root));
        all.addAll(boltServers(root));
        return all;
    }

    private static Map<String, Json> byId(List<Json> entries) {
        Map<String, Json> byId = new LinkedHashMap<>();
        for (Json entry : entries) {
            Json id = entry.get("id");
            if (id != null && id.isText()) {
                byId.putIfAbsent(id.text(), id);
            }
        }
        return byId;
    }

    /** The things with an id, by it. */
    private Map<String, Json> ids(List<Json> entries, String what) {
        Map<String, Json> ids = LinkedHashMap.newLinkedHashMap(entries.size());
        for (Json entry : entries) {
            String id = id(entry);
            Json before = id == null ? null : ids.putIfAbsent(id, entry);
            if (before != null) {
                twice(entry, before, what);
            }
        }
        return ids;
    }

    private static @Nullable String id(Json entry) {
        RouteConfig known = RouteJson.known(entry);
        if (known != null) {
            return known.id();
        }
        Json id = entry.get("id");
        return id == null || !id.isText() ? null : id.text();
    }

    private void twice(Json entry, Json before, String what) {
        Json id = entry.get("id");
        Json first = before.get("id");
        if (id != null && first != null) {
            String expected = "an id of its own; " + what + " in " + first.lineSeenFrom(id) + " has this one";
            problems.value(id, id.shown(), expected, null);
        }
    }

    /** Who names an upstream there mostly has left the proxy-pass out. */
    private void pass(@Nullable Json reference, Map<String, Json> passes, Map<String, Json> upstreams) {
        boolean isUpstream = reference != null
                && reference.isText()
                && !passes.containsKey(reference.text())
                && upstreams.containsKey(reference.text());
        if (reference == null || !isUpstream) {
            reference(reference, passes, "a proxy-pass");
            return;
        }
        String id = Json.quoted(reference.text());
        problems.value(
                reference,
                "the id of a proxy-pass; to the upstream of that name leads \"proxy-pass\": [{ \"id\": " + id
                        + ", \"upstream-id\": " + id + " }]");
    }

    private void reference(@Nullable Json reference, Map<String, Json> ids, String what) {
        if (reference == null || !reference.isText() || ids.containsKey(reference.text())) {
            return;
        }
        String nearest = Nearest.of(reference.text(), ids.keySet());
        String expected = "the id of " + what;
        if (ids.isEmpty()) {
            expected += ", but there is none";
        } else if (nearest == null && ids.size() <= LISTED_MAX) {
            expected += ": "
                    + String.join(", ", ids.keySet().stream().map(Json::quoted).toList());
        }
        problems.value(reference, reference.shown(), expected, nearest);
    }
}
