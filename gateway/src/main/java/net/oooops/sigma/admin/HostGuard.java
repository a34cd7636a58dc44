package net.oooops.sigma.admin;

import java.util.Locale;
import net.oooops.sigma.api.IpAddress;

/**
 * Which hosts a server on a loopback address may be asked for: IP addresses, {@code localhost}, and the name that it was told to listen
 * on. A web page that has its own name lead to this machine (DNS rebinding) asks for that name, and learns nothing.
 *
 * <p>Immutable, any thread.
 */
final class HostGuard {
    private final String own;
    private final boolean open;

    /**
     * @param own the host that it listens on, as written
     * @param loopback whether that is a loopback address; where it isn't, any host may be asked for
     */
    HostGuard(String own, boolean loopback) {
        this.own = own.toLowerCase(Locale.ROOT);
        this.open = !loopback;
    }

    /** Whether a request for that host, without its port, may be answered. */
    boolean allows(String host) {
        if (open) {
            return true;
        }
        String name = host.toLowerCase(Locale.ROOT);
        boolean bracketed = name.startsWith("[") && name.endsWith("]");
        String address = bracketed ? name.substring(1, name.length() - 1) : name;
        return IpAddress.parse(address) != null || name.equals("localhost") || name.equals(own);
    }
}
