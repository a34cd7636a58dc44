package net.oooops.sigma.config;

import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/** Where {@code proxy-server.admin} listens: on a port of its own, and best for this machine alone. */
final class AdminCheck {
    private static final int LOOPBACK_IPV4 = 127;

    private AdminCheck() {}

    /** Problems of its address. */
    static void check(Json root, Problems problems) {
        Json admin = IdCheck.admin(root);
        Json host = admin == null ? null : admin.get("host");
        problems.text(host, TextSyntax.LISTEN_HOST);
    }

    /** Warns where others than this machine can reach it. */
    static void warn(Json root, Problems warnings) {
        Json admin = IdCheck.admin(root);
        Json host = admin == null ? null : admin.get("host");
        if (host != null && !isLoopback(host.text())) {
            warnings.value(
                    host,
                    host.shown() + ", which is open to the network",
                    "127.0.0.1, or a network where everybody may see counters and nodes: nobody is asked who they are",
                    null);
        }
    }

    /** Whether only this machine reaches what listens there. A name is one for sure only if it is {@code localhost}. */
    private static boolean isLoopback(String host) {
        @Nullable IpAddress address = IpAddress.parse(host);
        if (address == null) {
            return host.equalsIgnoreCase("localhost");
        }
        byte[] octets = address.octets();
        return address.ipv6() ? address.high() == 0 && address.low() == 1 : octets[0] == LOOPBACK_IPV4;
    }
}
