package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A socket to bind and what holds for its calls: one entry of {@code proxy-server.bolt} whose mode is not {@code relay}.
 *
 * @param id unique among listeners
 * @param desc free text, empty where not given
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param plugins in the order written; they see connections
 * @param bounds what of its clients is bounded
 * @param routes of its routers, in the order written
 * @param limits the top-level {@code limits}
 * @param timeouts the top-level {@code timeouts}
 * @param tls how TLS ends here; null where connections are plain
 */
public record BoltListenerConfig(
        String id,
        String desc,
        String host,
        int port,
        List<PluginConfig> plugins,
        Bounds bounds,
        List<BoltRouteConfig> routes,
        Limits limits,
        Timeouts timeouts,
        @Nullable TlsConfig tls)
        implements Listener {

    public BoltListenerConfig {
        plugins = List.copyOf(plugins);
        routes = List.copyOf(routes);
    }

    /**
     * What of its clients is bounded.
     *
     * @param connectionsMax client connections; a new one beyond is reset at once
     * @param idleTimeoutNanos how long a client without a call may send no frame; closed
     * @param tcpKeepAlive whether the kernel asks clients from time to time whether they are still there
     * @param frameBytesMax a whole frame, of either side; the connection is closed
     * @param requestsInFlightMax calls of one connection at once; SERVER_THREADPOOL_BUSY
     * @param unsentBytesMax what may wait to be sent on one connection; a client's is reset, a node is passed over
     */
    public record Bounds(
            int connectionsMax,
            long idleTimeoutNanos,
            boolean tcpKeepAlive,
            int frameBytesMax,
            int requestsInFlightMax,
            int unsentBytesMax) {

        /** What holds where sigma.json says nothing. */
        public static final Bounds DEFAULT =
                new Bounds(50_000, TimeUnit.SECONDS.toNanos(90), true, 8 << 20, 1024, 16 << 20);
    }

    /** The time that a call may take where neither its proxy-pass nor itself says anything. */
    public static final long REQUEST_TIMEOUT_NANOS_DEFAULT = TimeUnit.SECONDS.toNanos(30);
}
