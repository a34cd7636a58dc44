package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A socket to bind and what holds for its sessions: one entry of {@code proxy-server.udp}.
 *
 * @param id unique among listeners
 * @param desc free text, empty where not given
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param proxyPassId the id of the proxy-pass that sessions take
 * @param plugins in the order written
 * @param sessionsMax sessions; a datagram of a client that has none is dropped beyond
 * @param idleTimeoutNanos how long no datagram may pass either way; then the session is over
 * @param timeouts the top-level {@code timeouts}
 */
public record UdpListenerConfig(
        String id,
        String desc,
        String host,
        int port,
        String proxyPassId,
        List<PluginConfig> plugins,
        int sessionsMax,
        long idleTimeoutNanos,
        Timeouts timeouts)
        implements Listener {

    /** The {@link #sessionsMax} where none is given: each session takes a port, of which Linux has 28,232 to give by default. */
    public static final int SESSIONS_MAX_DEFAULT = 20_000;

    /** The {@link #idleTimeoutNanos} where none is given. */
    public static final long IDLE_TIMEOUT_NANOS_DEFAULT = TimeUnit.SECONDS.toNanos(60);

    public UdpListenerConfig {
        plugins = List.copyOf(plugins);
    }
}
