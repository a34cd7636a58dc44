package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Servers of Bolt have what their mode needs, their routers and routes what calls have, and those of HTTP what requests have. */
final class BoltCheck {
    private static final List<String> ROUTE_MODE_KEYS =
            List.of("max-frame-size", "max-requests-in-flight", "max-unsent", "request-timeout");
    private static final List<String> HTTP_ROUTER_KEYS =
            List.of("virtual-host", "allow-forward", "trusted-proxies", "plugin");
    private static final String PASS = "proxy-pass-id";

    private static final List<String> HTTP_ROUTE_KEYS =
            List.of("path", "allow-method", "consumes", "produces", "query", "sub-router", "plugin");

    private final Json root;
    private final Problems problems;
    private final Map<String, Json> servers = new HashMap<>();
    private final Map<String, Json> passes = new HashMap<>();

    BoltCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
        for (Json server : IdCheck.boltServers(root)) {
            servers.putIfAbsent(server.text("id", ""), server);
        }
        for (Json pass : root.itemsOf("proxy-pass")) {
            passes.putIfAbsent(pass.text("id", ""), pass);
        }
    }

    /** Whether a server of Bolt passes bytes rather than calls. */
    static boolean isRelay(Json server) {
        return server.text("mode", "route").equals("relay");
    }

    /** The ids of the servers whose routers are of calls. */
    static Set<String> ids(Json root) {
        Set<String> ids = new HashSet<>();
        for (Json server : IdCheck.boltServers(root)) {
            ids.add(server.text("id", ""));
        }
        return ids;
    }

    void check() {
        servers.values().forEach(this::server);
        Map<String, List<Json>> before = new HashMap<>();
        for (Json router : root.itemsOf("router")) {
            Json reference = router.get("proxy-server-id");
            Json server = reference == null ? null : servers.get(reference.text());
            if (reference == null || server == null) {
                RoutesJson.unknown(router).forEach(this::httpRoute);
            } else if (isRelay(server)) {
                problems.value(
                        reference,
                        reference.shown() + ", which is in mode \"relay\" and sees no calls",
                        "a server that has routes",
                        null);
            } else {
                foreign(router, HTTP_ROUTER_KEYS, "a router of a Bolt server");
                List<Json> taken = before.get(reference.text());
                if (taken == null) {
                    taken = new ArrayList<>();
                    before.put(reference.text(), taken);
                }
                routes(router, taken);
            }
        }
    }

    private void server(Json server) {
        if (isRelay(server)) {
            if (server.get("proxy-pass-id") == null) {
                problems.missing(server, "proxy-pass-id", "one in mode \"relay\"");
            }
            foreign(server, ROUTE_MODE_KEYS, "mode \"relay\"");
            return;
        }
        foreign(server.get("proxy-pass-id"), "no such key in mode \"route\"; its routers' routes have it");
        Json frame = server.get("max-frame-size");
        Json unsent = server.get("max-unsent");
        if (problems.isWithin(server)) {
            return;
        }
        int otherwise = BoltListenerConfig.Bounds.DEFAULT.unsentBytesMax();
        long frameBytes = bytes(frame, BoltListenerConfig.Bounds.DEFAULT.frameBytesMax());
        long unsentBytes = bytes(unsent, otherwise);
        if (frameBytes > unsentBytes && unsent != null) {
            problems.value(unsent, ">= " + (frame == null ? "8MiB" : frame.text()) + ", which \"max-frame-size\" is");
        } else if (frameBytes > unsentBytes && frame != null) {
            problems.value(frame, "<= 16MiB, which \"max-unsent\" is");
        }
    }

    private static long bytes(@Nullable Json size, int otherwise) {
        return size == null ? otherwise : Units.sizeBytes(size.text());
    }

    private void httpRoute(Json route) {
        foreign(route.get("class-name"), "no such key on a route of HTTP; it is for Bolt servers");
        if (lacks(route, "path")) {
            problems.missing(route, "path", "\"path\", which every route of HTTP has");
        }
        if (lacks(route, PASS) && route.get(SubRouterCheck.KEY) == null && !hasPlugin(route)) {
            problems.missing(route, PASS, "one, or a plugin that answers, such as \"static-resources\"");
        }
    }

    /** Whether a key isn't there, nor one that may be meant for it. */
    private boolean lacks(Json route, String key) {
        return route.get(key) == null
                && route.members().values().stream().noneMatch(each -> problems.has(each) && isMeant(each.step(), key));
    }

    private static boolean isMeant(String written, String key) {
        boolean foreign = key.equals(PASS) && PASS.equals(ForeignWord.keyHere(written, Set.of(PASS)));
        return foreign || Nearest.of(written, List.of(key)) != null;
    }

    private static boolean hasPlugin(Json route) {
        Json plugins = route.get("plugin");
        return plugins != null
                && plugins.members().values().stream().anyMatch(settings -> settings.flag("enable", true));
    }

    private void routes(Json router, List<Json> before) {
        boolean enabled = router.flag("enable", true);
        for (Json route : router.itemsOf("route")) {
            foreign(route, HTTP_ROUTE_KEYS, "a route of a Bolt server");
            className(route.get("class-name"));
            if (lacks(route, PASS)) {
                problems.missing(route, PASS, "one, which every route of a Bolt server has");
            }
            Json pass = passes.get(route.text("proxy-pass-id", ""));
            Json reference = route.get("proxy-pass-id");
            if (pass != null && reference != null && pass.get("plugin") != null) {
                problems.value(
                        reference,
                        reference.shown() + ", which has plugins",
                        "a proxy-pass without; plugins see a Bolt server's connections, not its calls",
                        null);
            }
            if (enabled && route.flag("enable", true) && !problems.isWithin(route)) {
                reach(route, before);
            }
        }
    }

    private void className(@Nullable Json name) {
        if (name == null || !name.isText() || problems.has(name)) {
            return;
        }
        int star = name.text().indexOf('*');
        if (star >= 0 && star < name.text().length() - 1) {
            problems.value(name, "the name of a class, or the beginning of one before a \"*\"");
        }
    }

    /** Finds a route that no call can reach, since one before it takes all that it would. */
    private void reach(Json route, List<Json> before) {
        for (Json other : before) {
            Set<Object> conditions = conditions(other);
            if (conditions(route).containsAll(conditions)) {
                String id = Json.quoted(other.text("id", ""));
                problems.value(
                        Objects.requireNonNullElse(route.get("id"), route),
                        Json.quoted(route.text("id", "")) + ", which no call reaches",
                        "conditions that are not taken; the route " + id + " in " + other.lineSeenFrom(route)
                                + " takes them all before",
                        null);
                return;
            }
        }
        before.add(route);
    }

    private static Set<Object> conditions(Json route) {
        Set<Object> conditions = new HashSet<>();
        String name = route.text("class-name", "*");
        if (!name.equals("*")) {
            conditions.add(name);
        }
        for (Json header : route.itemsOf("header")) {
            conditions.add(Objects.requireNonNull(header.plain()));
        }
        return conditions;
    }

    private void foreign(Json object, List<String> keys, String where) {
        for (String key : keys) {
            foreign(object.get(key), "no such key in " + where);
        }
    }

    private void foreign(@Nullable Json value, String expected) {
        if (value != null) {
            problems.key(value, Json.quoted(value.step()), expected, null);
        }
    }
}
