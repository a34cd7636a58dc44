package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/** Servers do not clash on an address, and their limits and timeouts go together. */
final class ServerCheck {

    private final Json root;
    private final Problems problems;

    ServerCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        List<Json> streams = new ArrayList<>(IdCheck.servers(root));
        streams.addAll(IdCheck.tcpServers(root));
        addresses(streams);
        Json admin = IdCheck.admin(root);
        if (admin != null) {
            streams.addAll(IdCheck.boltServers(root));
            admin(admin, streams);
        }
        // A port of UDP is another one than that of TCP with its number.
        addresses(IdCheck.udpServers(root));
        for (Json server : IdCheck.servers(root)) {
            relations(server);
        }
    }

    private void addresses(List<Json> servers) {
        List<Json> before = new ArrayList<>();
        for (Json server : servers) {
            problems.text(server.get("host"), TextSyntax.LISTEN_HOST);
            Json port = server.get("port");
            if (port == null || problems.has(port) || !server.flag("enable", true)) {
                continue;
            }
            for (Json other : before) {
                clash(server, other, port);
            }
            before.add(server);
        }
    }

    private void admin(Json admin, List<Json> servers) {
        Json port = admin.get("port");
        int number = admin.integer("port", AdminConfig.PORT_DEFAULT);
        String host = admin.text("host", AdminConfig.HOST_DEFAULT);
        for (Json server : servers) {
            if (!server.flag("enable", true)) {
                continue;
            }
            String taken = server.text("host", ListenerConfig.HOST_DEFAULT);
            boolean same = host.equals(taken) || isEvery(host) || isEvery(taken);
            if (number != 0 && same && number == server.integer("port", 0)) {
                String id = Json.quoted(server.text("id", ""));
                String expected = "a port of its own; the server " + id + " listens on " + taken + ":" + number;
                problems.value(port == null ? admin : port, "port " + number, expected, null);
            }
        }
    }

    private void clash(Json server, Json other, Json port) {
        int number = server.integer("port", 0);
        if (number == 0 || number != other.integer("port", 0)) {
            return;
        }
        String host = server.text("host", ListenerConfig.HOST_DEFAULT);
        String taken = other.text("host", ListenerConfig.HOST_DEFAULT);
        if (host.equals(taken) || isEvery(host) || isEvery(taken)) {
            String id = Json.quoted(other.text("id", ""));
            String expected = "a port of its own; the server " + id + " listens on " + taken + ":" + number;
            problems.value(port, port.shown(), expected, null);
        }
    }

    private static boolean isEvery(String host) {
        IpAddress address = IpAddress.parse(host);
        return address != null && address.high() == 0 && address.low() == 0;
    }

    private void relations(Json server) {
        atMost(server, "limits", "header-field", "header-total");
        atMost(server, "limits", "buffered-body", "body");
        atMost(server, "timeouts", "keep-alive", "connection-lifetime");
    }

    /** Where both are written, for the server or for all, the one is at most the other. */
    private void atMost(Json server, String section, String lesser, String greater) {
        Json own = server.get(section);
        Json less = written(own, root.get(section), lesser);
        Json more = written(own, root.get(section), greater);
        if (less == null || more == null || problems.has(less) || problems.has(more)) {
            return;
        }
        boolean durations = section.equals("timeouts");
        long amount = durations ? Units.durationNanos(less.text()) : Units.sizeBytes(less.text());
        long bound = durations ? Units.durationNanos(more.text()) : Units.sizeBytes(more.text());
        if (amount <= bound) {
            return;
        }
        if (more.parent() == own && less.parent() != own) {
            problems.value(more, ">= " + less.text() + ", which " + Json.quoted(lesser) + " is");
        } else {
            problems.value(less, "<= " + more.text() + ", which " + Json.quoted(greater) + " is");
        }
    }

    private static @Nullable Json written(@Nullable Json own, @Nullable Json common, String key) {
        Json mine = own == null ? null : own.get(key);
        return mine != null || common == null ? mine : common.get(key);
    }
}
