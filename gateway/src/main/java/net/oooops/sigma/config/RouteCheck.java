package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Warns of what is right in routers and routes, but probably a slip, or a habit from elsewhere. */
final class RouteCheck {
    /** Registered ones (RFC 9110 section 16.1), and those that caches and UPnP have. */
    private static final Set<String> RARE_METHODS = Set.of(
            "ACL",
            "BAN",
            "BASELINE-CONTROL",
            "BIND",
            "CHECKIN",
            "CHECKOUT",
            "COPY",
            "LABEL",
            "LINK",
            "LOCK",
            "M-SEARCH",
            "MERGE",
            "MKACTIVITY",
            "MKCALENDAR",
            "MKCOL",
            "MKREDIRECTREF",
            "MKWORKSPACE",
            "MOVE",
            "NOTIFY",
            "ORDERPATCH",
            "PROPFIND",
            "PROPPATCH",
            "PURGE",
            "REBIND",
            "REFRESH",
            "REPORT",
            "SEARCH",
            "SUBSCRIBE",
            "UNBIND",
            "UNCHECKOUT",
            "UNLINK",
            "UNLOCK",
            "UNSUBSCRIBE",
            "UPDATE",
            "UPDATEREDIRECTREF",
            "VERSION-CONTROL");

    /** What stands in no path that a client writes, but in regular expressions. */
    private static final String OF_PATTERNS = "[]|^";

    private final Problems warnings;

    RouteCheck(Problems warnings) {
        this.warnings = warnings;
    }

    void check(Json root) {
        for (Json router : root.itemsOf("router")) {
            hosts(router.get("virtual-host"));
            for (Json route : RoutesJson.unknown(router)) {
                for (Json method : route.itemsOf("allow-method")) {
                    method(method);
                }
                path(route.get("path"));
            }
        }
    }

    private void hosts(@Nullable Json hosts) {
        if (hosts != null && hosts.kind() == Json.Kind.ARRAY && hosts.items().isEmpty()) {
            warnings.value(hosts, "an empty array", "a host; with none this router is for every host", null);
        }
    }

    private void method(Json method) {
        String name = method.text();
        if (!HttpSyntax.USUAL_METHODS.contains(name) && !RARE_METHODS.contains(name)) {
            List<String> known =
                    new ArrayList<>(HttpSyntax.USUAL_METHODS.stream().sorted().toList());
            known.addAll(RARE_METHODS.stream().sorted().toList());
            warnings.value(
                    method,
                    method.shown(),
                    "a method that is known, unless it is one of your own",
                    Nearest.of(name, known));
        }
    }

    private void path(@Nullable Json path) {
        String text = path == null ? "" : path.text();
        for (int i = 0; path != null && i < text.length(); i++) {
            if (OF_PATTERNS.indexOf(text.charAt(i)) >= 0) {
                warnings.value(
                        path,
                        "a path such as /a/b, /a/:id or /a/*; there are no regular expressions, and this is compared as it is");
            }
        }
    }
}
