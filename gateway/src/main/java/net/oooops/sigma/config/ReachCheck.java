package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds routes that no request can reach, since routes written before them, on the same path of the same hosts, take all of
 * their methods under the same conditions or under none. Routes and routers with {@code "enable": false} do not count.
 */
final class ReachCheck {

    /** Any method but CONNECT, which has to be named: what an empty {@code allow-method} stands for. */
    private static final String ANY = "";

    private static final List<String> CONDITIONS = List.of("consumes", "produces", "header", "query");

    private final Json root;
    private final Problems problems;

    /** By server and host, and then by the shape of the path: what was taken so far. */
    private final Map<List<String>, Map<String, Taken>> taken = new HashMap<>();

    ReachCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    /** A route and the methods that it takes. */
    private record Taker(Set<String> methods, Json route) {
        static Taker of(Json route) {
            return new Taker(ReachCheck.methods(route), route);
        }
    }

    /** The routes of one shape of path on one host. Mostly there is one: it isn't looked at before there is another. */
    private static final class Taken {
        private final Json first;
        private @Nullable Map<Set<Object>, List<Taker>> byConditions;

        Taken(Json first) {
            this.first = first;
        }

        List<Taker> under(Set<Object> conditions) {
            Map<Set<Object>, List<Taker>> all = byConditions;
            if (all == null) {
                all = new HashMap<>();
                all.put(conditions(first), new ArrayList<>(List.of(Taker.of(first))));
                byConditions = all;
            }
            return all.computeIfAbsent(conditions, _ -> new ArrayList<>());
        }
    }

    void check() {
        for (Json router : root.itemsOf("router")) {
            if (router.flag("enable", true)) {
                router(router);
            }
        }
    }

    private void router(Json router) {
        String server = server(router);
        List<Map<String, Taken>> sites = new ArrayList<>();
        for (String host : hosts(router)) {
            sites.add(taken.computeIfAbsent(List.of(server, host), _ -> new HashMap<>()));
        }
        for (Json route : router.itemsOf("route")) {
            route(sites, route);
        }
    }

    private void route(List<Map<String, Taken>> sites, Json route) {
        RouteConfig known = RouteJson.known(route);
        if (known != null) {
            route(sites, route, known.path());
        } else if (route.flag("enable", true) && route.get(SubRouterCheck.KEY) == null) {
            Json path = route.get("path");
            if (path != null && path.isText() && !problems.has(path)) {
                route(sites, route, path.text());
            }
        }
    }

    /** What the routes of a router are compared within: its server's. */
    static String server(Json router) {
        Json named = router.get("proxy-server-id");
        // What others lead into stands by itself.
        return named == null ? "router " + router.text("id", "") : named.text();
    }

    /** The virtual hosts of a router, in lower case; {@code *} where it is for all of them. */
    static List<String> hosts(Json router) {
        List<String> hosts = new ArrayList<>();
        for (Json host : router.itemsOrSelfOf("virtual-host")) {
            hosts.add(host.text().toLowerCase(Locale.ROOT));
        }
        return hosts.isEmpty() ? List.of("*") : hosts;
    }

    private void route(List<Map<String, Taken>> sites, Json route, String path) {
        String shape = PathSyntax.shape(path);
        Json by = null;
        boolean left = false;
        for (Map<String, Taken> site : sites) {
            Taken before = site.putIfAbsent(shape, new Taken(route));
            Json first = before == null ? null : taken(before, route);
            left |= first == null;
            by = by == null ? first : by;
        }
        Json at = left ? null : route.get("path");
        if (by != null && at != null) {
            String id = Json.quoted(by.text("id", ""));
            String expected =
                    "a path that is not taken; the route " + id + " in " + by.lineSeenFrom(at) + " takes it already";
            problems.value(at, at.shown(), expected, null);
        }
    }

    /** The first of the routes before this one that leave nothing to it; null where something is left, which it takes then. */
    private static @Nullable Json taken(Taken before, Json route) {
        Taker mine = Taker.of(route);
        Set<Object> conditions = conditions(route);
        List<Taker> always = before.under(Set.of());
        List<Taker> alike = before.under(conditions);
        Json first = coveredBy(conditions.isEmpty() ? List.of(always) : List.of(always, alike), mine);
        if (first == null) {
            alike.add(mine);
        }
        return first;
    }

    /** The first of the routes that together leave nothing to this one; null where something is left. */
    private static @Nullable Json coveredBy(List<List<Taker>> before, Taker mine) {
        Set<String> left = new HashSet<>(mine.methods);
        Json first = null;
        for (List<Taker> some : before) {
            for (Taker each : some) {
                int count = left.size();
                if (each.methods.contains(ANY)) {
                    left.removeIf(method -> !method.equals(HttpSyntax.CONNECT));
                } else {
                    left.removeAll(each.methods);
                }
                first = first == null && left.size() < count ? each.route : first;
            }
        }
        return left.isEmpty() ? first : null;
    }

    private static Set<String> methods(Json route) {
        Set<String> methods = new HashSet<>();
        RouteConfig known = RouteJson.known(route);
        if (known != null) {
            methods.addAll(known.allowMethods());
        } else {
            route.itemsOf("allow-method").forEach(method -> methods.add(method.text()));
        }
        if (methods.contains("GET")) {
            methods.add("HEAD"); // whoever takes GET takes HEAD
        }
        return methods.isEmpty() ? Set.of(ANY) : methods;
    }

    private static Set<Object> conditions(Json route) {
        RouteConfig known = RouteJson.known(route);
        if (known != null && isUnconditional(known)) {
            return Set.of();
        }
        Set<Object> conditions = new HashSet<>();
        for (String key : CONDITIONS) {
            Json list = route.get(key);
            if (list != null && !list.items().isEmpty()) {
                conditions.add(List.of(key, new HashSet<>((List<?>) Objects.requireNonNull(list.plain()))));
            }
        }
        return conditions;
    }

    private static boolean isUnconditional(RouteConfig route) {
        return route.consumes().isEmpty()
                && route.produces().isEmpty()
                && route.headers().isEmpty()
                && route.queries().isEmpty();
    }
}
