package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * A socket to bind and what holds for its sessions: one entry of {@code proxy-server.tcp}, or of
 * {@code proxy-server.bolt} in mode {@code relay}.
 *
 * @param id unique among listeners
 * @param desc free text, empty where not given
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param routes where sessions go, by what their clients say first
 * @param proxyPassId the id of the proxy-pass that sessions take which no route takes; null: they are refused
 * @param plugins in the order written
 * @param connectionsMax client connections; a new one beyond is reset at once
 * @param idleTimeoutNanos how long no byte may pass either way; reset
 * @param tcpKeepAlive whether the kernel asks both peers from time to time whether they are still there
 * @param proxyProtocol whether each connection begins with a PROXY protocol header
 * @param trustedProxies whose headers those may be
 * @param limits the top-level {@code limits}
 * @param timeouts the top-level {@code timeouts}
 * @param tls how TLS ends here; null where what clients send passes as it is
 * @param protocol what passes: BOLT for an entry of {@code proxy-server.bolt} in mode {@code relay}
 */
public record TcpListenerConfig(
        String id,
        String desc,
        String host,
        int port,
        List<TcpRouteConfig> routes,
        @Nullable String proxyPassId,
        List<PluginConfig> plugins,
        int connectionsMax,
        long idleTimeoutNanos,
        boolean tcpKeepAlive,
        boolean proxyProtocol,
        List<Cidr> trustedProxies,
        Limits limits,
        Timeouts timeouts,
        @Nullable TlsConfig tls,
        Protocol protocol)
        implements Listener {

    /** The {@link #connectionsMax} where none is given. */
    public static final int CONNECTIONS_MAX_DEFAULT = 50_000;

    /** The {@link #idleTimeoutNanos} where none is given. */
    public static final long IDLE_TIMEOUT_NANOS_DEFAULT = TimeUnit.HOURS.toNanos(1);

    public TcpListenerConfig {
        routes = List.copyOf(routes);
        plugins = List.copyOf(plugins);
        trustedProxies = List.copyOf(trustedProxies);
    }
}
