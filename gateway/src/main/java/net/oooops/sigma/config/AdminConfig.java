package net.oooops.sigma.config;

import java.util.List;

/**
 * {@code proxy-server.admin}: where Sigma answers those who run it.
 *
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param readyUpstreams ids of the Upstreams that have to have a healthy node for Sigma to be ready
 */
public record AdminConfig(String host, int port, List<String> readyUpstreams) {
    /** The address where sigma.json says nothing: only this machine reaches it. */
    public static final String HOST_DEFAULT = "127.0.0.1";

    /** The port where sigma.json says nothing. */
    public static final int PORT_DEFAULT = 9901;

    public AdminConfig {
        readyUpstreams = List.copyOf(readyUpstreams);
    }
}
