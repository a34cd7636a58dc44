package net.oooops.sigma.config;

/** A socket to bind: what entries of all sections of {@code proxy-server} have in common. */
public sealed interface Listener permits ListenerConfig, TcpListenerConfig, BoltListenerConfig {
    /** Unique among all listeners. */
    String id();

    /** The address to bind. */
    String host();

    /** The port to bind, 0 for any free one. */
    int port();

    /** Every wait on the client's side. */
    Timeouts timeouts();
}
