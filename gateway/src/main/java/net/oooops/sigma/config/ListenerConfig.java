package net.oooops.sigma.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A socket to bind and what holds for its connections: one entry of {@code proxy-server.http} or {@code proxy-server.https}.
 *
 * @param id unique among listeners
 * @param serverId the name in logs and counters; the id where it is not given
 * @param desc free text, empty where not given
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param contentBytesMax bodies are collected whole up to that size, 413 for a larger request and 502 for a larger answer; 0: they
 *     pass as they come
 * @param plugins in the order written
 * @param limits the top-level {@code limits}, overridden by this server's own
 * @param timeouts the top-level {@code timeouts}, overridden by this server's own
 * @param http2 whether clients may speak HTTP/2 on plain connections, without having agreed on it; on encrypted ones ALPN decides
 * @param tls how TLS is ended; null where connections are plain
 */
public record ListenerConfig(
        String id,
        String serverId,
        String desc,
        String host,
        int port,
        int contentBytesMax,
        List<PluginConfig> plugins,
        Limits limits,
        Timeouts timeouts,
        Http2 http2,
        @Nullable TlsConfig tls)
        implements Listener {

    /** Whether HTTP/2 is spoken where it wasn't agreed on. */
    public enum Http2 {
        NEVER,
        /** And HTTP/1.1, as the client begins. */
        TOO,
        ONLY
    }

    /** The {@link #host} where none is given: every IPv4 address of this machine. */
    public static final String HOST_DEFAULT = "0.0.0.0";

    /** The id of a server of {@code proxy-server.https} where none is given. */
    static final String HTTPS_ID_DEFAULT = "https";

    /** The port of a server of {@code proxy-server.https} where none is given: one that needs no rights. */
    static final int HTTPS_PORT_DEFAULT = 8443;

    public ListenerConfig {
        plugins = List.copyOf(plugins);
    }
}
