package net.oooops.sigma.config;

import java.util.List;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.UnfitException;

/**
 * How names of nodes are resolved.
 *
 * @param servers asked in this order; none: those of the system
 * @param timeoutNanos how long one of them is waited for; 0: as long as for a connection to a node
 * @param ttlSecondsMin the shortest time that an answer is kept, and how long is waited after none
 * @param ttlSecondsMax the longest time that an answer is kept
 */
public record DnsConfig(List<Server> servers, long timeoutNanos, int ttlSecondsMin, int ttlSecondsMax) {

    /** What holds where sigma.json says nothing. */
    public static final DnsConfig DEFAULT = new DnsConfig(List.of(), 0, 1, 300);

    private static final int PORT_DEFAULT = 53;
    private static final int PORT_MAX = 65535;

    public DnsConfig {
        servers = List.copyOf(servers);
    }

    /**
     * A name server.
     *
     * @param address an IP address, without brackets
     * @param port 1 to 65535
     */
    public record Server(String address, int port) {
        /** {@code 10.0.0.2}, {@code 10.0.0.2:5353}, {@code fd00::2} or {@code [fd00::2]:5353}. */
        static Server parse(String text) {
            int close = text.startsWith("[") ? text.indexOf(']') : -1;
            int colon = close < 0 ? text.indexOf(':') : close + 1;
            boolean bare = IpAddress.parse(text) != null || colon < 0 || colon >= text.length();
            String host = bare ? text : text.substring(0, colon);
            String address = close < 0 ? host : text.substring(1, close);
            String port = bare ? ":" + PORT_DEFAULT : text.substring(colon);
            if (IpAddress.parse(address) == null || !isPort(port)) {
                throw new UnfitException(
                        "an IP address, with a port where it isn't 53: 10.0.0.2, 10.0.0.2:5353, [fd00::2]:5353");
            }
            return new Server(address, Integer.parseInt(port.substring(1)));
        }

        private static boolean isPort(String text) {
            String digits = text.substring(1);
            boolean fits = text.startsWith(":") && digits.length() <= 5 && Chars.areDigits(digits) && !digits.isEmpty();
            int port = fits ? Integer.parseInt(digits) : 0;
            return port >= 1 && port <= PORT_MAX;
        }
    }
}
