package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/** Servers of TCP lead somewhere, each of their routes takes sessions, and those of HTTP leave to them what only they have. */
final class TcpCheck {
    private final Json root;
    private final Problems problems;

    TcpCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        for (Json server : IdCheck.httpsServers(root)) {
            Json ssl = server.get("ssl");
            if (ssl != null && !problems.isWithin(ssl)) {
                ssl.itemsOrSelfOf("alpn").forEach(this::version);
            }
        }
        IdCheck.tcpServers(root).forEach(this::server);
    }

    /** An HTTPS server speaks HTTP only. */
    private void version(Json written) {
        if (!TlsConfig.ALPN_OF_HTTP.contains(written.text())) {
            problems.value(written, "\"h2\" or \"http/1.1\" in an HTTPS server");
        }
    }

    private void server(Json server) {
        List<Json> routes = server.itemsOf("route");
        if (routes.isEmpty() && server.get("route") == null && server.get("proxy-pass-id") == null) {
            problems.missing(server, "proxy-pass-id", "one, or \"route\"");
        }
        List<Json> before = new ArrayList<>();
        for (Json route : routes) {
            Json match = route.get("match");
            if (match == null || match.kind() != Json.Kind.OBJECT) {
                continue;
            }
            match.itemsOrSelfOf("sni").forEach(this::host);
            if (!problems.isWithin(route)) {
                agreed(server.get("ssl"), match);
                reach(route, before);
            }
        }
    }

    private void host(Json written) {
        if (!written.isText() || problems.has(written)) {
            return;
        }
        if (written.text().equals("*")) {
            problems.value(written, "a host, or *.example.com; for every host leave \"sni\" out");
        } else if (IpAddress.parse(written.text()) != null) {
            problems.value(written, "a host with a name: nobody asks for an address (RFC 6066 section 3)");
        } else {
            problems.text(written, TextSyntax.VIRTUAL_HOST);
        }
    }

    /** Where TLS ends here, only what is offered can be agreed on. */
    private void agreed(@Nullable Json ssl, Json match) {
        if (ssl == null || problems.isWithin(ssl)) {
            return;
        }
        List<String> offered = TlsReader.alpn(ssl);
        for (Json protocol : match.itemsOrSelfOf("alpn")) {
            if (!offered.contains(protocol.text())) {
                problems.value(protocol, "one of \"alpn\" of \"ssl\", or nothing else can be agreed on");
            }
        }
    }

    /** Finds a route that no session can take, since one before it takes all that it would. */
    private void reach(Json route, List<Json> before) {
        for (Json other : before) {
            if (takesAll(other, route, "sni") && takesAll(other, route, "alpn")) {
                problems.value(
                        Objects.requireNonNullElse(route.get("id"), route),
                        Json.quoted(route.text("id", "")) + ", which no session takes",
                        "a match that is not taken; the route " + Json.quoted(other.text("id", "")) + " in "
                                + other.lineSeenFrom(route) + " takes all of it before",
                        null);
                return;
            }
        }
        before.add(route);
    }

    private static boolean takesAll(Json other, Json route, String key) {
        Set<String> taken = values(other, key);
        Set<String> wanted = values(route, key);
        return taken.isEmpty() || (!wanted.isEmpty() && wanted.stream().allMatch(each -> isTaken(taken, each)));
    }

    private static boolean isTaken(Set<String> taken, String value) {
        if (taken.contains(value)) {
            return true;
        }
        for (int dot = value.indexOf('.', 1); dot > 0; dot = value.indexOf('.', dot + 1)) {
            if (taken.contains("*" + value.substring(dot))) {
                return true;
            }
        }
        return false;
    }

    private static Set<String> values(Json route, String key) {
        Set<String> values = new HashSet<>();
        Json match = Objects.requireNonNull(route.get("match"));
        for (Json each : match.itemsOrSelfOf(key)) {
            values.add(key.equals("sni") ? each.text().toLowerCase(Locale.ROOT) : each.text());
        }
        return values;
    }
}
