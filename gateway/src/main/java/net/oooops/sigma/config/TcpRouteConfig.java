package net.oooops.sigma.config;

import java.util.List;

/**
 * Where some sessions of a TCP server go: an entry of its {@code route}.
 *
 * @param id unique among the routes of its server
 * @param hosts one of which the client asks for (SNI), in lower case, some with {@code *} for all names below a domain; none: any
 * @param protocols one of which the client speaks (ALPN); none: any
 * @param proxyPassId the id of the proxy-pass that its sessions take
 */
public record TcpRouteConfig(String id, List<String> hosts, List<String> protocols, String proxyPassId) {
    public TcpRouteConfig {
        hosts = List.copyOf(hosts);
        protocols = List.copyOf(protocols);
    }
}
