package net.oooops.sigma.config;

import java.util.Map;

/** Writes what a server of HTTPS may leave out into the tree, where the server stands: it is referred to, and clashes, as if it were written. */
final class HttpsDefaults {
    private HttpsDefaults() {}

    static void fillIn(Json root) {
        for (Json server : IdCheck.httpsServers(root)) {
            if (server.kind() == Json.Kind.OBJECT) {
                put(server, "id", Json.Kind.STRING, ListenerConfig.HTTPS_ID_DEFAULT);
                put(server, "port", Json.Kind.NUMBER, (long) ListenerConfig.HTTPS_PORT_DEFAULT);
            }
        }
    }

    private static void put(Json server, String key, Json.Kind kind, Object value) {
        Map<String, Json> members = server.members();
        Place at = server.place();
        Json.Anchor anchor = new Json.Anchor(server, key, server.source(), at.line(), at.column());
        members.putIfAbsent(key, new Json(anchor, kind, value, at.line(), at.column()));
    }
}
