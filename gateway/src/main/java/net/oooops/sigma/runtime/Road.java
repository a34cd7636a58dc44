package net.oooops.sigma.runtime;

/**
 * What a Worker has of one protocol: the flows of its Listeners, its part of the Upstreams behind them, and the connections or sessions
 * of its clients.
 *
 * <p>Called on the Worker's event loop only, where nothing else is said.
 */
public interface Road {
    /** Those of its Listeners. */
    Flows<?, ?> flows();

    /** Where it leads. */
    UpstreamGroups<?> upstreams();

    /** Ten times a second. Its Upstreams are looked at after it. */
    default void tick() {}

    /** The Worker drains from now on: what is idle closes, and the rest as soon as it is. */
    default void drain() {
        flows().drain();
    }

    /** Closes what is left of clients. Nodes are left to the Worker. */
    default void close() {
        flows().cut();
    }

    /** Whether nothing is left: no connection, no exchange, no session. */
    default boolean isIdle() {
        return connectionCount() == 0;
    }

    /** How many connections or sessions clients have. */
    int connectionCount();

    /** How many bytes were received and wait to be sent, of what counts towards {@code runtime.relay-memory}. */
    default long waitingBytes() {
        return 0;
    }

    /** So much waits, in all connections of the Worker, that each is to be read a little at a time. */
    default void onMemoryShort() {}
}
