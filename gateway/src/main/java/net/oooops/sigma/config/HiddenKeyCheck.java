package net.oooops.sigma.config;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Warns of limits that count by a field or cookie which a plugin before takes out of the request, as it holds credentials: each request would be counted by its
 * address.
 */
final class HiddenKeyCheck {
    private static final String AUTHORIZATION = "Authorization";
    private static final String FIELD_OF_KEYS = "X-Api-Key";

    /** What limits count by, and whether it is taken out before on every way. */
    private final IdentityHashMap<Json, Boolean> hidden = new IdentityHashMap<>();

    /**
     * A way leads to that plugin.
     *
     * @param finders settings of the plugins before it that may have found the consumer
     */
    void see(Json settings, List<Json> finders) {
        Json by = settings.get("by");
        boolean isLimit =
                settings.step().equals("rate-limit") || settings.step().equals("concurrency-limit");
        if (by == null || !isLimit) {
            return;
        }
        for (Json each : by.itemsOrSelf()) {
            if (each.kind() == Json.Kind.OBJECT) {
                key(each, "header", finders);
                key(each, "cookie", finders);
            }
        }
    }

    private void key(Json by, String kind, List<Json> finders) {
        Json name = by.get(kind);
        if (name != null) {
            boolean isHidden = finders.stream().anyMatch(finder -> hides(finder, kind, name.text()));
            hidden.merge(name, isHidden, Boolean::logicalAnd);
        }
    }

    private static boolean hides(Json finder, String kind, String name) {
        String plugin = finder.step();
        boolean hidesByDefault = plugin.equals("key-auth") || plugin.equals("basic-auth");
        boolean takesOut = (hidesByDefault || plugin.equals("jwt"))
                && finder.get(PluginFrame.WHEN) == null
                && finder.flag("hide-credentials", hidesByDefault);
        if (!takesOut) {
            return false;
        }
        if (finder.get("from") == null) {
            return kind.equals("header")
                    && name.equalsIgnoreCase(plugin.equals("key-auth") ? FIELD_OF_KEYS : AUTHORIZATION);
        }
        return finder.itemsOf("from").stream().anyMatch(place -> isAt(place, kind, name));
    }

    private static boolean isAt(Json place, String kind, String name) {
        for (Map.Entry<String, Json> each : place.members().entrySet()) {
            boolean found = switch (each.getKey()) {
                case "field" ->
                    kind.equals("header")
                            && name.equalsIgnoreCase(each.getValue().text());
                case "authorization" -> kind.equals("header") && name.equalsIgnoreCase(AUTHORIZATION);
                case "cookie" ->
                    kind.equals("cookie") && name.equals(each.getValue().text());
                default -> false;
            };
            if (found) {
                return true;
            }
        }
        return false;
    }

    void warn(Problems warnings) {
        hidden.forEach((name, isHidden) -> {
            if (isHidden) {
                warnings.value(
                        name,
                        "\"consumer\" in \"by\"; this is taken out before, as it holds credentials, and addresses are counted");
            }
        });
    }
}
