package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;

/** What settings of plugins refer to: each {@code proxy-pass-id} in them, wherever it stands. */
final class PluginReferences {
    private static final String KEY = "proxy-pass-id";

    private PluginReferences() {}

    /** The references of the plugins of all servers of HTTP, routers, routes and proxy-passes. */
    static List<Json> of(Json root) {
        List<Json> found = new ArrayList<>();
        IdCheck.servers(root).forEach(server -> ofPlugins(server, found));
        for (Json router : root.itemsOf("router")) {
            ofPlugins(router, found);
            router.itemsOf("route").forEach(route -> ofPlugins(route, found));
        }
        root.itemsOf("proxy-pass").forEach(pass -> ofPlugins(pass, found));
        return found;
    }

    private static void ofPlugins(Json holder, List<Json> found) {
        Json plugins = holder.get("plugin");
        if (plugins != null) {
            plugins.members().values().forEach(settings -> within(settings, found));
        }
    }

    private static void within(Json value, List<Json> found) {
        for (Json member : value.members().values()) {
            if (member.step().equals(KEY) && member.isText()) {
                found.add(member);
            } else {
                within(member, found);
            }
        }
        for (Json item : value.items()) {
            within(item, found);
        }
    }
}
