package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is right but probably not meant: parts that nothing leads to. */
final class WarningCheck {

    private final Problems warnings = new Problems();

    /** Warnings about a tree in which no problem was found. */
    List<Problem> check(Json root) {
        Set<String> servers = new HashSet<>();
        Set<String> passes = new HashSet<>();
        Set<String> upstreams = new HashSet<>();
        for (Json router : root.itemsOf("router")) {
            servers.add(router.text("proxy-server-id", ""));
            for (Json route : router.itemsOf("route")) {
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
        for (Json server : IdCheck.tcpServers(root)) {
            passes.add(server.text("proxy-pass-id", ""));
            Json trusted = server.get("trusted-proxies");
            if (trusted != null && !trusted.items().isEmpty() && !server.flag("proxy-protocol", false)) {
                warnings.key(
                        trusted,
                        "trusted-proxies",
                        "\"proxy-protocol\": true beside it; nothing is read without",
                        null);
            }
        }
        for (Json server : IdCheck.udpServers(root)) {
            passes.add(server.text("proxy-pass-id", ""));
        }
        List<Json> calls = new ArrayList<>();
        for (Json server : IdCheck.boltServers(root)) {
            passes.add(server.text("proxy-pass-id", ""));
            if (!BoltCheck.isRelay(server)) {
                calls.add(server);
            }
        }
        for (Json pass : root.itemsOf("proxy-pass")) {
            upstreams.add(pass.text("upstream-id", ""));
        }
        unused(
                IdCheck.servers(root),
                servers,
                "a router with this proxy-server-id; every request is answered with 404");
        unused(calls, servers, "a router with this proxy-server-id; every call is answered with NO_PROCESSOR");
        unused(root.itemsOf("proxy-pass"), passes, "a route, or a TCP, UDP or Bolt server, with this proxy-pass-id");
        unused(root.itemsOf("upstream"), upstreams, "a proxy-pass with this upstream-id");
        return warnings.sorted();
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
