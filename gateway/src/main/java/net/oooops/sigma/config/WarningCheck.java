package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is right but probably not meant: parts that nothing leads to. */
final class WarningCheck {

    private final ConfigSchema schema;
    private final Problems warnings = new Problems();

    WarningCheck(ConfigSchema schema) {
        this.schema = schema;
    }

    /** Warnings about a tree in which no problem was found. */
    List<Problem> check(Json root, Problems ofFiles) {
        Set<String> servers = new HashSet<>();
        Set<String> passes = new HashSet<>();
        Set<String> upstreams = new HashSet<>();
        for (Json router : root.itemsOf("router")) {
            servers.add(router.text("proxy-server-id", ""));
            passes.addAll(RoutesJson.passes(router));
            for (Json route : RoutesJson.unknown(router)) {
                passes.add(route.text("proxy-pass-id", ""));
            }
            Json trusted = router.get("trusted-proxies");
            if (trusted != null
                    && !trusted.items().isEmpty()
                    && AllowForward.of(router.text("allow-forward", "none")) == AllowForward.NONE) {
                warnings.key(
                        trusted, "trusted-proxies", "\"allow-forward\" beside it; nothing is believed without", null);
            }
        }
        Set<String> secure = secure(root);
        for (Json server : IdCheck.tcpServers(root)) {
            passes.add(server.text("proxy-pass-id", ""));
            for (Json route : server.itemsOf("route")) {
                passes.add(route.text("proxy-pass-id", ""));
                passedOn(server, route, secure);
            }
            Json trusted = server.get("trusted-proxies");
            if (trusted != null && !trusted.items().isEmpty() && !server.flag("proxy-protocol", false)) {
                warnings.key(
                        trusted,
                        "trusted-proxies",
                        "\"proxy-protocol\": true beside it; nothing is read without",
                        null);
            }
        }
        IdCheck.udpServers(root).forEach(server -> passes.add(server.text("proxy-pass-id", "")));
        List<Json> calls = new ArrayList<>();
        for (Json server : IdCheck.boltServers(root)) {
            passes.add(server.text("proxy-pass-id", ""));
            if (!BoltCheck.isRelay(server)) {
                calls.add(server);
            }
        }
        PluginReferences.of(root, PluginReferences.PROXY_PASS).forEach(reference -> passes.add(reference.text()));
        sticky(root);
        for (Json pass : root.itemsOf("proxy-pass")) {
            upstreams.add(pass.text("upstream-id", ""));
            anyMethod(pass.get("retry"));
        }
        servers.addAll(redirecting(root));
        unused(
                IdCheck.servers(root),
                servers,
                "a router with this proxy-server-id; every request is answered with 404");
        unused(calls, servers, "a router with this proxy-server-id; every call is answered with NO_PROCESSOR");
        unused(root.itemsOf("proxy-pass"), passes, "a route, or a TCP, UDP or Bolt server, with this proxy-pass-id");
        unused(root.itemsOf("upstream"), upstreams, "a proxy-pass with this upstream-id");
        redis(root);
        each(root);
        warnings.addAll(ofFiles);
        return warnings.sorted();
    }

    /** All that it found. */
    Problems warnings() {
        return warnings;
    }

    /** What stands in a class of its own each. */
    private void each(Json root) {
        zones(root);
        AdminCheck.warn(root, warnings);
        HealCheck.warn(root, warnings);
        new EffectCheck(root, warnings).check();
        new LoopCheck(root, warnings).check();
        new DegradeCheck(root).warn(warnings);
        RedirectCheck.warn(root, warnings);
        new CallbackCheck(root).warn(warnings);
        new RouteCheck(warnings).check(root);
        new PluginHabitCheck(root, warnings).check();
        BehindAnswerCheck.warn(PluginHabitCheck.holders(root), warnings);
        RewriteCheck.warn(root, warnings);
        new ExactPathCheck(root).warn(warnings);
        new OrderCheck(root, schema).warn(warnings);
        new AnswerCheck(root, schema).warn(warnings);
    }

    private void anyMethod(@Nullable Json retry) {
        Json anyMethod = retry == null ? null : retry.get("any-method");
        if (retry != null && anyMethod != null && retry.flag("any-method", false)) {
            warnings.value(anyMethod, "false: with true a POST that a node has acted on may be sent a second time");
            hedge(retry);
        }
    }

    private void redis(Json root) {
        Set<String> used = new HashSet<>();
        PluginReferences.of(root, PluginReferences.REDIS).forEach(reference -> used.add(reference.text()));
        unused(root.itemsOf(RedisReader.SECTION), used, "a plugin with this redis-id; nothing connects to it");
    }

    /** What passes through is encrypted already. */
    private void passedOn(Json server, Json route, Set<String> secure) {
        Json reference = route.get("proxy-pass-id");
        if (reference != null && server.get("ssl") == null && secure.contains(reference.text())) {
            warnings.value(
                    reference,
                    "a proxy-pass to tcp:// nodes; TLS is passed through here, and tls:// encrypts it once more");
        }
    }

    /** The proxy-passes whose nodes TLS is spoken to. */
    private static Set<String> secure(Json root) {
        Set<String> upstreams = new HashSet<>();
        for (Json upstream : root.itemsOf("upstream")) {
            if (ProtocolCheck.scheme(upstream).isSecure()) {
                upstreams.add(upstream.text("id", ""));
            }
        }
        Set<String> passes = new HashSet<>();
        for (Json pass : root.itemsOf("proxy-pass")) {
            if (upstreams.contains(pass.text("upstream-id", ""))) {
                passes.add(pass.text("id", ""));
            }
        }
        return passes;
    }

    /** Whoever lets POST be sent again may think that it is hedged. */
    private void hedge(Json retry) {
        Json hedge = retry.get("hedge");
        Json enable = hedge == null ? null : hedge.get("enable");
        if (hedge != null && enable != null && hedge.flag("enable", false)) {
            warnings.value(
                    enable,
                    "false with \"any-method\"; requests that aren't idempotent are sent again, but never hedged");
        }
    }

    private void sticky(Json root) {
        Map<String, String> names = new HashMap<>();
        for (Json upstream : root.itemsOf("upstream")) {
            Json sticky = upstream.get("sticky");
            if (sticky == null) {
                continue;
            }
            if (sticky.get("key") == null && sticky.get("key-file") == null) {
                warnings.missing(
                        sticky,
                        "key-file",
                        "one, or \"key\"; after a restart, and at another gateway, no cookie is known");
            }
            String id = Json.quoted(upstream.text("id", ""));
            String name = sticky.text("name", StickyConfig.NAME_DEFAULT);
            String other = names.putIfAbsent(name + sticky.text("path", "/"), id);
            if (other != null) {
                Json written = sticky.get("name");
                warnings.value(
                        written == null ? sticky : written,
                        "the cookie " + Json.quoted(name),
                        "another \"name\"; clients of one host can't be kept at nodes of this upstream and of " + other,
                        null);
            }
        }
    }

    private void zones(Json root) {
        Json runtime = root.get("runtime");
        Json own = runtime == null ? null : runtime.get("zone");
        boolean found = false;
        for (Json upstream : root.itemsOf("upstream")) {
            // It may say so yet.
            found |= upstream.get(SourceCheck.FILE) != null;
            for (Json node : upstream.itemsOf("nodes")) {
                Json zone = node.isText() ? null : node.get("zone");
                if (zone != null && own == null) {
                    warnings.value(zone, "\"runtime.zone\", which says where Sigma is; no zone is preferred without");
                }
                found |= zone != null && own != null && zone.text().equals(own.text());
            }
        }
        if (own != null && !found) {
            warnings.value(own, "the \"zone\" of a node; no node is preferred without");
        }
    }

    /** Those that send clients to the other scheme: they need no router. */
    private static List<String> redirecting(Json root) {
        List<String> ids = new ArrayList<>();
        boolean all = ConfigBuilder.section(root, "plugins").flag(ConfigBuilder.REDIRECT, false);
        Set<String> secure = new HashSet<>();
        IdCheck.httpsServers(root).forEach(server -> secure.add(server.text("id", "")));
        for (Json server : IdCheck.servers(root)) {
            Json own = ConfigBuilder.section(server, "plugin").get(ConfigBuilder.REDIRECT);
            String id = server.text("id", "");
            boolean redirects = own == null ? all : own.flag("enable", true);
            Json degrade = ConfigBuilder.section(server, "plugin").get(DegradeCheck.DEGRADE);
            boolean degrades = degrade != null && degrade.flag("enable", true);
            if (secure.contains(id) ? degrades : redirects) {
                ids.add(id);
            }
        }
        return ids;
    }

    private void unused(List<Json> entries, Set<String> used, String expected) {
        for (Json entry : entries) {
            Json id = entry.get("id");
            if (id != null && !used.contains(id.text())) {
                warnings.value(id, expected);
            }
        }
    }
}
