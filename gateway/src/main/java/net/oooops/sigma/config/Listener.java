package net.oooops.sigma.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A socket to bind: what entries of all sections of {@code proxy-server} have in common. */
public sealed interface Listener permits ListenerConfig, TcpListenerConfig, UdpListenerConfig, BoltListenerConfig {
    /** Unique among all listeners. */
    String id();

    /** The address to bind. */
    String host();

    /** The port to bind, 0 for any free one. */
    int port();

    /** Every wait on the client's side. */
    Timeouts timeouts();

    /** In the order written. */
    List<PluginConfig> plugins();

    /** How TLS ends there; null where it doesn't. */
    default @Nullable TlsConfig tls() {
        return null;
    }

    /** Whether it is bound where the other one is; of those that take any free port, which is the same is told by their ids. */
    default boolean isAt(Listener other) {
        return port() == other.port() && host().equals(other.host()) && (port() != 0 || id().equals(other.id()));
    }
}
