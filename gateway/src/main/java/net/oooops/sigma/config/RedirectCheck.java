package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Warns where clients are sent to https at a port that nobody here listens on. Whoever writes the {@code port} knows where it leads; so does who
 * believes what a load balancer says, which has TLS end there.
 */
final class RedirectCheck {
    private static final int PORT_DEFAULT = 443;

    private final Json root;
    private final Problems warnings;
    private final Set<Integer> ports = new TreeSet<>();
    private final Set<String> secure = new HashSet<>();

    private RedirectCheck(Json root, Problems warnings) {
        this.root = root;
        this.warnings = warnings;
        for (Json server : IdCheck.httpsServers(root)) {
            ports.add(server.integer("port", PORT_DEFAULT));
            secure.add(server.text("id", ""));
        }
    }

    /** About a tree in which no problem was found. */
    static void warn(Json root, Problems warnings) {
        new RedirectCheck(root, warnings).warn();
    }

    private void warn() {
        List<Json> written = written();
        if (written.isEmpty() || isListenedOn() || isBehindAnother()) {
            return;
        }
        for (Json redirect : written) {
            boolean ofAll = redirect.kind() == Json.Kind.BOOLEAN;
            String port = ofAll ? "the plugin at the server, with \"port\"" : "\"port\" beside it";
            String expected = ports.isEmpty()
                    ? "a server in \"proxy-server.https\" on port 443, where clients are sent; where a load balancer has TLS end: "
                            + "\"trusted-proxies\" and \"allow-forward\" of the router"
                    : "a server in \"proxy-server.https\" on port 443, where clients are sent; or " + port + ": "
                            + ports.iterator().next() + ", or 443 where that leads there";
            warnings.key(redirect, Json.quoted(ConfigBuilder.REDIRECT), expected, null);
        }
    }

    /** All that send clients to the default port. */
    private List<Json> written() {
        List<Json> holders = new ArrayList<>(IdCheck.servers(root));
        holders.removeIf(server -> secure.contains(server.text("id", "")));
        boolean someByAll = holders.stream()
                .anyMatch(server -> ConfigBuilder.section(server, "plugin").get(ConfigBuilder.REDIRECT) == null);
        for (Json router : root.itemsOf("router")) {
            if (!secure.contains(router.text("proxy-server-id", ""))) {
                holders.add(router);
                holders.addAll(RoutesJson.unknown(router));
            }
        }
        List<Json> written = new ArrayList<>();
        Json all = ConfigBuilder.section(root, "plugins").get(ConfigBuilder.REDIRECT);
        if (all != null && someByAll && ConfigBuilder.section(root, "plugins").flag(ConfigBuilder.REDIRECT, false)) {
            written.add(all);
        }
        for (Json holder : holders) {
            Json redirect = ConfigBuilder.section(holder, "plugin").get(ConfigBuilder.REDIRECT);
            if (redirect != null && acts(redirect) && redirect.get("port") == null) {
                written.add(redirect);
            }
        }
        return written;
    }

    private static boolean acts(Json settings) {
        return settings.flag("enable", true)
                && !settings.text(PluginFrame.MODE, "").equals(PluginFrame.SHADOW);
    }

    /** Whether TLS is spoken at that port, or passed through. */
    private boolean isListenedOn() {
        return ports.contains(PORT_DEFAULT)
                || IdCheck.tcpServers(root).stream().anyMatch(server -> server.integer("port", 0) == PORT_DEFAULT);
    }

    private boolean isBehindAnother() {
        return root.itemsOf("router").stream()
                .anyMatch(router -> !router.itemsOf("trusted-proxies").isEmpty()
                        && AllowForward.of(router.text("allow-forward", "none")) != AllowForward.NONE);
    }
}
