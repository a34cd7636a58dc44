package net.oooops.sigma.config;

import net.oooops.sigma.api.IpAddress;

/**
 * One node of an upstream.
 *
 * @param host a host name (lower case), an IPv4 address, or an IPv6 address without brackets
 * @param port 1 to 65535
 * @param weight its share of the requests or sessions, at least 1
 * @param backup whether it is used only while no other node is available
 * @param zone where it stands; empty: nobody says
 */
public record NodeConfig(String host, int port, int weight, boolean backup, String zone) {

    /** The {@link #weight} where none is given. */
    public static final int WEIGHT_DEFAULT = 1;

    /** The largest {@link #weight}. */
    public static final int WEIGHT_MAX = 65535;

    /** One like all others. */
    public NodeConfig(String host, int port, int weight) {
        this(host, port, weight, false, "");
    }

    /** Whether that can be a node's {@link #host}. */
    public static boolean isHost(String text) {
        return HostSyntax.isName(text) || IpAddress.parse(text) != null;
    }

    /** {@code host:port}, IPv6 in brackets. */
    public String hostAndPort() {
        return shownHost() + ":" + port;
    }

    /** {@code host:port}, IPv6 in brackets, that port left out. */
    String authority(int portLeftOut) {
        return port == portLeftOut ? shownHost() : hostAndPort();
    }

    private String shownHost() {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }
}
