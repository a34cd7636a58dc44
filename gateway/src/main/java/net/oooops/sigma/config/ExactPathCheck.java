package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Warns of paths that are meant as prefixes, as they are elsewhere, but are one path here: {@code /}, {@code /api/}, {@code /api}. That is so where a route to nodes
 * takes such a path and nothing below it is taken, but for routes that are narrowed, as by methods, or whose plugins answer. A path such as {@code /api} is one that many mean as it is: only one that all of a proxy-pass's requests
 * come by is warned of, and none within another router, or whose name is that of a single page. Routes and routers with {@code "enable": false} do not count.
 */
final class ExactPathCheck {
    /** What isn't a folder, mostly. */
    private static final Set<String> SINGLE = Set.of(
            "authorize",
            "callback",
            "events",
            "graphql",
            "health",
            "healthcheck",
            "healthz",
            "hook",
            "live",
            "livez",
            "login",
            "logout",
            "mcp",
            "metrics",
            "ping",
            "query",
            "ready",
            "readyz",
            "rpc",
            "search",
            "sse",
            "status",
            "token",
            "upload",
            "version",
            "webhook",
            "websocket");

    private static final List<String> NARROWING = List.of("allow-method", "header", "query", "consumes", "produces");
    /** Plugins that may answer in the nodes' place. */
    private static final List<String> ANSWERING = List.of("redirect", "respond", "static-resources");

    /** Shorter names say nothing of what is meant, as {@code /ws}. */
    private static final int NAME_CHARS_MIN = 3;

    private final Json root;

    /** By server and host: the paths that are taken there. */
    private final Map<List<String>, Set<String>> taken = new HashMap<>();
    /** How many routes lead to a proxy-pass. */
    private final Map<String, Integer> leading = new HashMap<>();

    ExactPathCheck(Json root) {
        this.root = root;
    }

    /** A path that may be meant otherwise. */
    private record Doubted(Json router, Json route, String path) {}

    void warn(Problems warnings) {
        List<Doubted> doubted = new ArrayList<>();
        for (Json router : root.itemsOf("router")) {
            if (router.flag("enable", true)) {
                router.itemsOf("route").forEach(route -> doubt(router, route, doubted));
            }
        }
        if (doubted.isEmpty()) {
            return;
        }
        collect();
        for (Doubted each : doubted) {
            warn(each, warnings);
        }
    }

    /** Ten thousand routes pass here at each reload: into those that are known nothing is looked. */
    private static void doubt(Json router, Json route, List<Doubted> doubted) {
        String path = path(route);
        boolean folder = path.endsWith("/");
        boolean other = path.lastIndexOf('/') > 0 || path.indexOf('*') >= 0 || path.indexOf(':') >= 0;
        if ((folder ? path.indexOf(':') < 0 : !other && isNamedLikeFolder(path)) && isWhole(route)) {
            boolean counts = folder || router.get("proxy-server-id") != null;
            if (counts && isEnabled(route) && !pass(route).isEmpty()) {
                doubted.add(new Doubted(router, route, path));
            }
        }
    }

    private static boolean isNamedLikeFolder(String path) {
        return path.length() > NAME_CHARS_MIN
                && path.indexOf('.') < 0
                && !SINGLE.contains(path.substring(1).toLowerCase(Locale.ROOT));
    }

    /** Whether it takes all requests of its path, and leads them to nodes: who narrows it, or answers there, means that path. */
    private static boolean isWhole(Json route) {
        RouteConfig known = RouteJson.known(route);
        if (known != null) {
            return known.allowMethods().isEmpty()
                    && known.headers().isEmpty()
                    && known.queries().isEmpty()
                    && known.consumes().isEmpty()
                    && known.produces().isEmpty();
        }
        Json plugins = route.get("plugin");
        return hasNone(route, NARROWING) && (plugins == null || hasNone(plugins, ANSWERING));
    }

    private static boolean hasNone(Json of, List<String> keys) {
        for (String key : keys) {
            if (of.get(key) != null) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEnabled(Json route) {
        return RouteJson.known(route) != null || route.flag("enable", true);
    }

    private static String path(Json route) {
        RouteConfig known = RouteJson.known(route);
        return known == null ? route.text("path", "") : known.path();
    }

    private void collect() {
        for (Json router : root.itemsOf("router")) {
            if (!router.flag("enable", true)) {
                continue;
            }
            Set<String> paths = new HashSet<>();
            for (Json route : router.itemsOf("route")) {
                if (isEnabled(route)) {
                    paths.add(path(route));
                    leading.merge(pass(route), 1, Integer::sum);
                }
            }
            places(router)
                    .forEach(place ->
                            taken.computeIfAbsent(place, _ -> new HashSet<>()).addAll(paths));
        }
    }

    private static String pass(Json route) {
        RouteConfig known = RouteJson.known(route);
        return known == null ? route.text("proxy-pass-id", "") : known.proxyPassId();
    }

    private static List<List<String>> places(Json router) {
        String server = ReachCheck.server(router);
        return ReachCheck.hosts(router).stream()
                .map(host -> List.of(server, host))
                .toList();
    }

    private void warn(Doubted doubted, Problems warnings) {
        String path = doubted.path;
        boolean folder = path.endsWith("/");
        String below = folder ? path : path + "/";
        boolean left = places(doubted.router).stream().noneMatch(place -> isTakenBelow(below, place));
        if (!left || (!folder && leading.getOrDefault(pass(doubted.route), 0) > 1)) {
            return;
        }
        Json at = doubted.route.get("path");
        if (at != null) {
            warnings.value(
                    at,
                    Json.quoted(below + "*") + " for all paths below; this matches " + path
                            + " only, or \"allow-method\" beside it if this path alone is meant");
        }
    }

    /** Whether any path below is taken; below {@code /}, where all paths are, whatever isn't taken otherwise. */
    private boolean isTakenBelow(String below, List<String> place) {
        Set<String> paths = taken.getOrDefault(place, Set.of());
        if (below.equals("/")) {
            return paths.stream()
                    .anyMatch(path -> path.equals("*") || path.equals("/*") || path.matches("/:[^/]*(/\\*)?"));
        }
        return paths.stream().anyMatch(path -> path.startsWith(below) && path.length() > below.length());
    }
}
