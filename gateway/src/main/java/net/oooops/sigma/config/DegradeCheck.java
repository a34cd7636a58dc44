package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What sends clients from https to http goes with nothing that sends them back: they would go to and fro for ever. On one way that is a problem. What
 * another way of the same host says is a warning, as the host may be another one in the end.
 */
final class DegradeCheck {
    /** The plugin that does so. */
    static final String DEGRADE = "https-degrade-http";

    private static final String HSTS = "hsts";
    private static final String POLICY = "strict-transport-security";
    private static final int PORT_DEFAULT = 80;
    private static final List<String> CHALLENGES = List.of("/.well-known/acme-challenge/");

    private final Json root;
    private final boolean redirectsAll;
    private final List<Json> encrypted;
    private final Map<String, Json> passes = new HashMap<>();
    private final Map<String, Json> routers = new HashMap<>();

    DegradeCheck(Json root) {
        this.root = root;
        this.encrypted = IdCheck.httpsServers(root);
        this.redirectsAll = ConfigBuilder.section(root, "plugins").flag(ConfigBuilder.REDIRECT, false);
        root.itemsOf("proxy-pass").forEach(pass -> passes.put(pass.text("id", ""), pass));
        root.itemsOf("router").forEach(router -> routers.put(router.text("id", ""), router));
    }

    /** What plugins stand on, from the server to the proxy-pass. */
    private record Way(
            Json server, @Nullable Json router, @Nullable Json route, List<Json> holders) {
        /** The plugin of that name that acts here; null where there is none. */
        @Nullable Json find(String name) {
            for (Json holder : holders) {
                Json settings = ConfigBuilder.section(holder, "plugin").get(name);
                if (settings != null && acts(settings)) {
                    return settings;
                }
            }
            return null;
        }

        private static boolean acts(Json settings) {
            return settings.flag("enable", true)
                    && !settings.text(PluginFrame.MODE, "").equals(PluginFrame.SHADOW);
        }
    }

    private List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (Json server : IdCheck.servers(root)) {
            ways.add(new Way(server, null, null, List.of(server)));
            String id = server.text("id", "");
            for (Json router : root.itemsOf("router")) {
                if (router.text("proxy-server-id", "").equals(id)) {
                    router.itemsOf("route")
                            .forEach(route ->
                                    ways(new Way(server, router, route, List.of(server, router)), route, ways));
                }
            }
        }
        return ways;
    }

    /** Those of a route, and of the routes of the router that it leads into; {@code so} far without it. */
    private void ways(Way so, Json route, List<Way> ways) {
        List<Json> holders = new ArrayList<>(so.holders);
        holders.add(route);
        Json to = routers.get(route.text(SubRouterCheck.KEY, ""));
        if (to != null && !holders.contains(to)) {
            holders.add(to);
            Way further = new Way(so.server, so.router, so.route, holders);
            to.itemsOf("route").forEach(each -> ways(further, each, ways));
            return;
        }
        Json pass = passes.get(route.text("proxy-pass-id", ""));
        if (pass != null) {
            holders.add(pass);
        }
        ways.add(new Way(so.server, so.router, so.route, holders));
    }

    /** Whether it is written anywhere: most files have none, and pay for nothing more. */
    private boolean isWritten() {
        List<Json> routers = root.itemsOf("router");
        return isIn(IdCheck.servers(root))
                || isIn(routers)
                || isIn(root.itemsOf("proxy-pass"))
                || routers.stream().anyMatch(router -> isIn(RoutesJson.unknown(router)));
    }

    private static boolean isIn(List<Json> holders) {
        for (Json holder : holders) {
            Json plugins = holder.get("plugin");
            if (plugins != null && plugins.get(DEGRADE) != null) {
                return true;
            }
        }
        return false;
    }

    void check(Problems problems) {
        if (!isWritten()) {
            return;
        }
        for (Way way : ways()) {
            Json degrade = way.find(DEGRADE);
            if (degrade == null) {
                continue;
            }
            if (sendsPolicy(way)) {
                problems.key(
                        degrade,
                        Json.quoted(DEGRADE),
                        "no Strict-Transport-Security on the same way; browsers come back over https, and would go to and fro",
                        null);
            }
            if (degrade.get(PluginFrame.WHEN) == null && isSentBack(way)) {
                problems.key(
                        degrade,
                        Json.quoted(DEGRADE),
                        "no \"" + ConfigBuilder.REDIRECT + "\" on the same way; clients would go to and fro",
                        null);
            }
        }
    }

    private boolean isSentBack(Way way) {
        Json redirect = way.find(ConfigBuilder.REDIRECT);
        boolean own = ConfigBuilder.section(way.server, "plugin").get(ConfigBuilder.REDIRECT) != null;
        boolean ofAll = redirectsAll && !own && !encrypted.contains(way.server);
        return redirect == null ? ofAll : redirect.get(PluginFrame.WHEN) == null;
    }

    /** Whether answers there have the field: by the plugin for it, or by the one for fields. */
    private static boolean sendsPolicy(Way way) {
        if (way.find(HSTS) != null) {
            return true;
        }
        Json headers = way.find("headers");
        Json response = headers == null ? null : headers.get("response");
        if (response == null) {
            return false;
        }
        return List.of("set", "add", "set-template").stream()
                .flatMap(step -> ConfigBuilder.section(response, step).members().keySet().stream())
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).equals(POLICY));
    }

    /** About a tree in which no problem was found. */
    void warn(Problems warnings) {
        if (!isWritten()) {
            return;
        }
        List<Way> ways = ways();
        // Once, as there may be thousands of ways, and each that degrades asks for them.
        List<Way> withPolicy = ways.stream().filter(DegradeCheck::sendsPolicy).toList();
        for (Way way : ways) {
            Json degrade = way.find(DEGRADE);
            if (degrade == null) {
                continue;
            }
            if (withPolicy.stream().anyMatch(other -> isOfSameHost(way, other))) {
                warnings.key(
                        degrade,
                        Json.quoted(DEGRADE),
                        "a host of its own: others of this one send Strict-Transport-Security, and browsers keep to https for all of it",
                        null);
            }
            int port = degrade.integer("port", PORT_DEFAULT);
            if (IdCheck.servers(root).stream()
                    .anyMatch(server -> server.integer("port", 0) == port && redirects(server, way.route))) {
                warnings.key(
                        degrade,
                        Json.quoted(DEGRADE),
                        "\"except\" with this path at the \"" + ConfigBuilder.REDIRECT + "\" of the server on port "
                                + port + ", which sends clients back",
                        null);
            }
        }
    }

    /** One server and one router; or another router for the same host, or for all. */
    private static boolean isOfSameHost(Way way, Way other) {
        if (way.server != other.server) {
            return false;
        }
        Json router = way.router;
        Json another = other.router;
        if (router == null || another == null || router == another) {
            return true;
        }
        List<String> hosts = hosts(router);
        List<String> others = hosts(another);
        return hosts.isEmpty() || others.isEmpty() || hosts.stream().anyMatch(others::contains);
    }

    private static List<String> hosts(Json router) {
        return router.itemsOrSelfOf("virtual-host").stream()
                .map(host -> host.text().toLowerCase(Locale.ROOT))
                .toList();
    }

    /** Whether all of that server, the paths of that route included, is sent to https. */
    private boolean redirects(Json server, @Nullable Json route) {
        Way plain = new Way(server, null, null, List.of(server));
        if (encrypted.contains(server) || !isSentBack(plain)) {
            return false;
        }
        Json redirect = plain.find(ConfigBuilder.REDIRECT);
        Json except = redirect == null ? null : redirect.get("except");
        List<String> excepted = except == null
                ? CHALLENGES
                : except.items().stream().map(Json::text).toList();
        String path = route == null ? "/" : route.text("path", "/");
        return excepted.stream().noneMatch(path::startsWith);
    }
}
