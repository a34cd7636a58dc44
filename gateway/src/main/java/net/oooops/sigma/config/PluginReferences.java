package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;

/** What settings of plugins refer to: each {@code proxy-pass-id}, or {@code redis-id}, in them, wherever it stands. */
final class PluginReferences {
    static final String PROXY_PASS = "proxy-pass-id";
    static final String REDIS = "redis-id";

    private final String key;
    private final List<Json> found = new ArrayList<>();

    private PluginReferences(String key) {
        this.key = key;
    }

    /** The references under that key, of the plugins of all servers of HTTP, routers, routes and proxy-passes. */
    static List<Json> of(Json root, String key) {
        PluginReferences references = new PluginReferences(key);
        IdCheck.servers(root).forEach(references::ofPlugins);
        for (Json router : root.itemsOf("router")) {
            references.ofPlugins(router);
            RoutesJson.unknown(router).forEach(references::ofPlugins);
        }
        root.itemsOf("proxy-pass").forEach(references::ofPlugins);
        return references.found;
    }

    private void ofPlugins(Json holder) {
        Json plugins = holder.get("plugin");
        if (plugins != null) {
            plugins.members().values().forEach(this::within);
        }
    }

    private void within(Json value) {
        for (Json member : value.members().values()) {
            if (member.step().equals(key) && member.isText()) {
                found.add(member);
            } else {
                within(member);
            }
        }
        value.items().forEach(this::within);
    }
}
