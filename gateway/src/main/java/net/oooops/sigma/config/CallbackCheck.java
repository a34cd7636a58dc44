package net.oooops.sigma.config;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a provider sends browsers back to has to lead to the plugin that sent them away. That is a warning, as a path may come to be another one on its way
 * there.
 */
final class CallbackCheck {
    private static final String OIDC = "oidc";
    private static final String URL = "callback-url";

    private final Json root;

    CallbackCheck(Json root) {
        this.root = root;
    }

    /** One that stands on a route. */
    private record OnRoute(Json settings, String callback) {}

    /** About a tree in which no problem was found. */
    void warn(Problems warnings) {
        Set<String> reached = new HashSet<>();
        List<OnRoute> onRoutes = new ArrayList<>();
        List<Json> further = new ArrayList<>(IdCheck.servers(root));
        further.addAll(root.itemsOf("router"));
        further.addAll(root.itemsOf("proxy-pass"));
        for (Json holder : further) {
            Json settings = settings(holder);
            if (settings != null) {
                reached.add(settings.text(URL, ""));
            }
        }
        for (Json router : root.itemsOf("router")) {
            for (Json route : RoutesJson.unknown(router)) {
                Json settings = settings(route);
                if (settings == null) {
                    continue;
                }
                String callback = settings.text(URL, "");
                onRoutes.add(new OnRoute(settings, callback));
                if (leadsTo(route, callback)) {
                    reached.add(callback);
                }
            }
        }
        for (OnRoute each : onRoutes) {
            if (!reached.contains(each.callback)) {
                warnings.key(
                        each.settings,
                        Json.quoted(OIDC),
                        "a route for the path of \"" + URL + "\" that has it, too: nobody could end a login",
                        null);
            }
        }
    }

    private static @Nullable Json settings(Json holder) {
        Json settings = ConfigBuilder.section(holder, "plugin").get(OIDC);
        return settings != null && settings.flag("enable", true) ? settings : null;
    }

    /** Whether requests for that URL may come by that route; where its path says more than a beginning, nobody knows. */
    private static boolean leadsTo(Json route, String callback) {
        String path = route.text("path", "");
        String asked = URI.create(callback).getRawPath();
        boolean literal = path.startsWith("/") && path.chars().noneMatch(c -> "{}()[]:^$+?|\\".indexOf(c) >= 0);
        if (!literal || route.get(SubRouterCheck.KEY) != null) {
            return true;
        }
        return path.endsWith("*") ? asked.startsWith(path.substring(0, path.length() - 1)) : asked.equals(path);
    }
}
