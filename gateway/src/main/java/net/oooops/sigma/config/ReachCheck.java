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

    /** By server, host, shape of the path and conditions: what was taken so far. */
    private final Map<List<Object>, List<Taken>> taken = new HashMap<>();

    ReachCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    /** The methods that a route takes. */
    private record Taken(Set<String> methods, Json route) {}

    void check() {
        for (Json router : root.itemsOf("router")) {
            boolean enabled = router.flag("enable", true);
            List<String> hosts = hosts(router);
            Json named = router.get("proxy-server-id");
            // What others lead into stands by itself.
            String server = named == null ? "router " + router.text("id", "") : named.text();
            for (Json route : router.itemsOf("route")) {
                if (enabled && route.flag("enable", true) && route.get(SubRouterCheck.KEY) == null) {
                    route(server, hosts, route);
                }
            }
        }
    }

    private static List<String> hosts(Json router) {
        List<String> hosts = new ArrayList<>();
        for (Json host : router.itemsOrSelfOf("virtual-host")) {
            hosts.add(host.text().toLowerCase(Locale.ROOT));
        }
        return hosts.isEmpty() ? List.of("*") : hosts;
    }

    private void route(String server, List<String> hosts, Json route) {
        Json path = route.get("path");
        if (path == null || !path.isText() || problems.has(path)) {
            return;
        }
        Taken mine = new Taken(methods(route), route);
        Set<Object> conditions = conditions(route);
        boolean conditional = !conditions.isEmpty();
        String shape = PathSyntax.shape(path.text());
        Json by = null;
        boolean left = false;
        for (String host : hosts) {
            List<Taken> always = taken(server, host, shape, Set.of());
            List<Taken> alike = conditional ? taken(server, host, shape, conditions) : always;
            Json first = coveredBy(conditional ? List.of(always, alike) : List.of(always), mine);
            if (first == null) {
                alike.add(mine);
                left = true;
            } else if (by == null) {
                by = first;
            }
        }
        if (by != null && !left) {
            String id = Json.quoted(by.text("id", ""));
            String expected =
                    "a path that is not taken; the route " + id + " in " + by.lineSeenFrom(path) + " takes it already";
            problems.value(path, path.shown(), expected, null);
        }
    }

    private List<Taken> taken(String server, String host, String shape, Set<Object> conditions) {
        List<Object> key = List.of(server, host, shape, conditions);
        List<Taken> known = taken.get(key);
        if (known == null) {
            known = new ArrayList<>();
            taken.put(key, known);
        }
        return known;
    }

    /** The first of the routes that together leave nothing to this one; null where something is left. */
    private static @Nullable Json coveredBy(List<List<Taken>> before, Taken mine) {
        Set<String> left = new HashSet<>(mine.methods);
        Json first = null;
        for (List<Taken> some : before) {
            for (Taken each : some) {
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
        for (Json method : route.itemsOf("allow-method")) {
            methods.add(method.text());
        }
        if (methods.contains("GET")) {
            methods.add("HEAD"); // whoever takes GET takes HEAD
        }
        return methods.isEmpty() ? Set.of(ANY) : methods;
    }

    private static Set<Object> conditions(Json route) {
        Set<Object> conditions = new HashSet<>();
        for (String key : CONDITIONS) {
            Json list = route.get(key);
            if (list != null && !list.items().isEmpty()) {
                conditions.add(List.of(key, new HashSet<>((List<?>) Objects.requireNonNull(list.plain()))));
            }
        }
        return conditions;
    }
}
