package net.oooops.sigma.config;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Routes that lead into other routers: what these may be, and that none leads back. */
final class SubRouterCheck {
    /** What such a route names its router by. */
    static final String KEY = "sub-router";

    static final String SERVER = "proxy-server-id";

    /** How many routers may stand within each other. */
    private static final int DEPTH_MAX = 32;

    /** As many as one router may have. */
    private static final int ROUTES_MAX = 100_000;

    private static final List<String> OF_CLIENTS = List.of("virtual-host", "allow-forward", "trusted-proxies");
    private static final List<String> NOT_BESIDE = List.of("proxy-pass-id", "allow-method", "consumes", "produces");

    private final Problems problems;
    private final List<Json> routers;
    private final Map<String, Json> byId = new LinkedHashMap<>();
    private final Set<String> used = new HashSet<>();
    /** By id, of those that no loop was found from. */
    private final Map<String, Content> contents = new HashMap<>();

    /** The server to name, in words, where there is but one. */
    private final String servers;

    /** What is in a router, and in those that it leads to. */
    private record Content(long routes, Set<String> parameters, int depth) {}

    SubRouterCheck(Json root, Problems problems) {
        this.problems = problems;
        this.routers = root.itemsOf("router");
        List<Json> all = new ArrayList<>(IdCheck.servers(root));
        all.addAll(IdCheck.boltServers(root));
        String only = all.size() == 1 ? all.getFirst().text("id", "") : "";
        this.servers = only.isEmpty() ? "" : ", such as " + Json.quoted(only);
        routers.forEach(router -> byId.putIfAbsent(router.text("id", ""), router));
    }

    /** The router that a route leads into; null where it leads into none. */
    private @Nullable Json to(Json route) {
        Json named = RouteJson.known(route) == null ? route.get(KEY) : null;
        return named == null || problems.has(named) ? null : byId.get(named.text());
    }

    void check() {
        for (Json router : routers) {
            RoutesJson.unknown(router).forEach(this::step);
        }
        routers.forEach(this::router);
        if (!used.isEmpty()) {
            routers.forEach(router -> content(router, new ArrayDeque<>()));
        }
    }

    private void step(Json route) {
        Json named = route.get(KEY);
        if (named == null || !named.isText() || problems.has(named)) {
            return;
        }
        used.add(named.text());
        Json to = byId.get(named.text());
        if (to != null && to.get(SERVER) != null) {
            problems.value(
                    named,
                    named.shown() + ", which has a \"proxy-server-id\"",
                    "a router without one, that sees only what routes of others lead into it",
                    null);
        }
        Json path = route.get("path");
        if (path != null && path.isText() && !problems.has(path) && !isBeginning(path.text())) {
            problems.value(path, "a path that ends with /*, beside \"sub-router\"");
        }
        for (String key : NOT_BESIDE) {
            Json beside = route.get(key);
            if (beside != null && !problems.has(beside)) {
                problems.key(
                        beside,
                        Json.quoted(key) + " beside \"sub-router\"",
                        "none here; the routes of that router have it",
                        null);
            }
        }
    }

    private static boolean isBeginning(String path) {
        return path.endsWith("/*") || path.equals("*");
    }

    private void router(Json router) {
        if (router.get(SERVER) != null || router.members().values().stream().anyMatch(problems::has)) {
            return;
        }
        String id = router.text("id", "");
        if (!used.contains(id)) {
            String within = id.isEmpty() ? "" : ": " + Json.quoted(id);
            problems.missing(
                    router,
                    SERVER,
                    "the id of an HTTP or Bolt server" + servers + "; or a route with \"sub-router\"" + within);
            // It is most likely that key which is missing, and none of these too much.
            return;
        }
        for (String key : OF_CLIENTS) {
            Json written = router.get(key);
            if (written != null) {
                problems.key(
                        written,
                        Json.quoted(key) + " of a router without \"proxy-server-id\"",
                        "none here; what holds is said by the router whose route leads here",
                        null);
            }
        }
    }

    private Content content(Json router, Deque<String> way) {
        String id = router.text("id", "");
        Content known = contents.get(id);
        if (known != null) {
            return known;
        }
        way.addLast(id);
        long routes = 0;
        int depth = 0;
        Set<String> parameters = new HashSet<>();
        for (Json route : router.itemsOf("route")) {
            parameters.addAll(parameters(route));
            Json to = to(route);
            Content within = to == null ? null : within(route, to, way);
            if (within != null) {
                parametersOnce(route, within);
                parameters.addAll(within.parameters);
                depth = Math.max(depth, within.depth + 1);
            }
            routes += within == null ? 1 : within.routes;
            if (routes > ROUTES_MAX) {
                tooMany(route);
                break;
            }
        }
        way.removeLast();
        Content content = new Content(routes, parameters, depth);
        contents.put(id, content);
        return content;
    }

    private @Nullable Content within(Json route, Json to, Deque<String> way) {
        Json named = route.get(KEY);
        if (!way.contains(to.text("id", ""))) {
            Content within = way.size() > DEPTH_MAX ? null : content(to, way);
            if (named != null && (within == null || within.depth >= DEPTH_MAX) && !problems.has(named)) {
                problems.value(named, "routers more than " + DEPTH_MAX + " deep", "<= " + DEPTH_MAX, null);
            }
            return within == null || within.depth >= DEPTH_MAX ? null : within;
        }
        if (named != null) {
            List<String> loop = new ArrayList<>(way);
            loop.add(named.text());
            problems.value(
                    named,
                    named.shown() + ", which leads back here (" + String.join(" > ", loop) + ")",
                    "a router that doesn't",
                    null);
        }
        return null;
    }

    private void tooMany(Json route) {
        Json named = route.get(KEY);
        Json at = named == null ? route : named;
        problems.value(
                at, "more than " + ROUTES_MAX + " routes", "<= " + ROUTES_MAX + ", sub-routers with theirs", null);
    }

    private static List<String> parameters(Json route) {
        List<String> names = new ArrayList<>();
        RouteConfig known = RouteJson.known(route);
        String path = known == null ? route.text("path", "") : known.path();
        if (!path.contains("/:")) {
            return List.of();
        }
        for (String segment : path.split("/", -1)) {
            if (segment.startsWith(":")) {
                names.add(segment);
            }
        }
        return names;
    }

    private void parametersOnce(Json route, Content within) {
        Json path = route.get("path");
        for (String name : parameters(route)) {
            if (path != null && within.parameters.contains(name)) {
                problems.value(
                        path,
                        path.shown(),
                        "another name than " + name + ", which a path of the sub-router has, too",
                        null);
            }
        }
    }
}
