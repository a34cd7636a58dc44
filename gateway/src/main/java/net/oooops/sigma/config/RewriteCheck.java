package net.oooops.sigma.config;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import net.oooops.sigma.api.BoundedText;
import org.jspecify.annotations.Nullable;

/**
 * Warns of a regexp of {@code rewrite-path} that is found in what a route with {@code /a/*} takes, but not in {@code /a}, which the route takes, too: that would
 * reach nodes as it is. Not where another route of the router takes {@code /a}, nor where a plugin before may have changed the path.
 */
final class RewriteCheck {
    private static final String ALL_BELOW = "/*";

    private RewriteCheck() {}

    /** About a tree in which no problem was found. */
    static void warn(Json root, Problems warnings) {
        for (Json router : root.itemsOf("router")) {
            if (rewriting(router) == null) {
                warnOf(router, warnings);
            }
        }
    }

    private static void warnOf(Json router, Problems warnings) {
        Set<String> taken = null;
        for (Json route : RoutesJson.unknown(router)) {
            Json regexp = rewriting(route);
            String path = route.text("path", "");
            if (regexp == null || !isFolder(path)) {
                continue;
            }
            taken = taken == null ? paths(router) : taken;
            String folder = path.substring(0, path.length() - ALL_BELOW.length());
            if (!taken.contains(folder) && leavesFolder(regexp.text(), folder)) {
                warnings.value(
                        regexp,
                        "one that is found in " + Json.quoted(folder) + ", too, which the route takes, such as \"^"
                                + folder + "(/|$)\"; that path isn't rewritten");
            }
        }
    }

    private static boolean isFolder(String path) {
        return path.endsWith(ALL_BELOW) && path.length() > ALL_BELOW.length() && path.indexOf(':') < 0;
    }

    /** The regexp by which all paths are rewritten there; null where none is. */
    private static @Nullable Json rewriting(Json holder) {
        Json plugins = holder.get("plugin");
        Json rewrite = plugins == null ? null : plugins.get("rewrite-path");
        if (rewrite == null || !rewrite.flag("enable", true) || rewrite.get(PluginFrame.WHEN) != null) {
            return null;
        }
        return rewrite.get("regexp");
    }

    private static Set<String> paths(Json router) {
        Set<String> paths = new HashSet<>();
        for (Json route : router.itemsOf("route")) {
            RouteConfig known = RouteJson.known(route);
            paths.add(known == null ? route.text("path", "") : known.path());
        }
        return paths;
    }

    private static boolean leavesFolder(String regexp, String folder) {
        try {
            Pattern pattern = Pattern.compile(regexp);
            return isFound(pattern, folder + "/a") && !isFound(pattern, folder);
        } catch (PatternSyntaxException | BoundedText.ExhaustedException _) {
            return false;
        }
    }

    private static boolean isFound(Pattern pattern, String path) throws BoundedText.ExhaustedException {
        return BoundedText.find(pattern.matcher(new BoundedText(path)));
    }
}
