package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Warns of routes that lead nowhere and whose requests no plugin can answer, on any way to them: all that isn't refused there is answered with 404. Plugins
 * whose schemas don't say what they do may answer. Routes and routers with {@code "enable": false} do not count.
 */
final class AnswerCheck {
    private final Json root;
    private final ConfigSchema schema;
    private final Map<String, Json> servers = new HashMap<>();
    /** By the id of a router, the routes of others that lead into it, and their routers. */
    private final Map<String, List<Leading>> leading = new HashMap<>();

    private record Leading(Json router, Json route) {}

    AnswerCheck(Json root, ConfigSchema schema) {
        this.root = root;
        this.schema = schema;
        IdCheck.servers(root).forEach(server -> servers.put(server.text("id", ""), server));
        for (Json router : root.itemsOf("router")) {
            for (Json route : RoutesJson.unknown(router)) {
                Json within = route.get(SubRouterCheck.KEY);
                if (within != null) {
                    leading.computeIfAbsent(within.text(), _ -> new ArrayList<>())
                            .add(new Leading(router, route));
                }
            }
        }
    }

    /** About a tree in which no problem was found. */
    void warn(Problems warnings) {
        if (ConfigBuilder.section(root, "plugins").flag(ConfigBuilder.REDIRECT, false)) {
            // Which answers for all servers of http.
            return;
        }
        for (Json router : root.itemsOf("router")) {
            List<Json> nowhere = router.flag("enable", true) ? nowhere(router) : List.of();
            if (!nowhere.isEmpty() && !mayAnswerBefore(router, new HashSet<>())) {
                nowhere.forEach(route -> warn(route, warnings));
            }
        }
    }

    private List<Json> nowhere(Json router) {
        // Those that are known lead to a proxy-pass.
        return RoutesJson.unknown(router).stream()
                .filter(route -> route.get("proxy-pass-id") == null && route.get(SubRouterCheck.KEY) == null)
                .filter(route -> route.flag("enable", true))
                .filter(route -> !mayAnswer(route))
                .toList();
    }

    private static void warn(Json route, Problems warnings) {
        warnings.missing(
                route,
                "proxy-pass-id",
                "one, or a plugin that answers, such as \"static-resources\"; what those here let pass is answered with 404");
    }

    /** Whether a plugin may answer that requests pass before they come to a route of that router, on any way. */
    private boolean mayAnswerBefore(Json router, Set<String> visited) {
        if (!visited.add(router.pointer())) {
            return false;
        }
        Json server = servers.get(router.text(SubRouterCheck.SERVER, ""));
        if (mayAnswer(router) || (server != null && mayAnswer(server))) {
            return true;
        }
        for (Leading each : leading.getOrDefault(router.text("id", ""), List.of())) {
            if (mayAnswer(each.route) || mayAnswerBefore(each.router, visited)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayAnswer(Json holder) {
        return plugins(holder).stream().anyMatch(this::answers);
    }

    private static List<Json> plugins(Json holder) {
        Json plugins = holder.get("plugin");
        return plugins == null ? List.of() : List.copyOf(plugins.members().values());
    }

    private boolean answers(Json settings) {
        boolean inShadow = settings.text(PluginFrame.MODE, "").equals(PluginFrame.SHADOW);
        boolean delaysOnly = settings.step().equals("fault-injection") && settings.get("abort") == null;
        return settings.flag("enable", true) && !inShadow && !delaysOnly && schema.mayAnswer(settings.step());
    }
}
