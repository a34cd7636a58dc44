package net.oooops.sigma.upstream;

import net.oooops.sigma.memory.Descriptors;

/**
 * How many connections there may be, as the file descriptors of the process are parted ({@link Descriptors}). Each part has room as long as it
 * hasn't taken its most, and all together haven't taken all.
 *
 * <p>Any thread.
 */
public final class DescriptorParts {
    private final Bound all = new Bound(Descriptors.ofConnections());
    private final Bound clients = new Bound(Descriptors.ofClients(), all);
    private final Bound nodes = new Bound(Descriptors.ofNodes(), all);
    private final Bound sessions = new Bound(Descriptors.ofSessions());

    /** The bound on the connections of clients, to all servers together. */
    public Bound clients() {
        return clients;
    }

    /** The bound on the connections to all nodes together, and on the sockets of sessions with them. */
    public Bound nodes() {
        return nodes;
    }

    /** The bound on the sessions of UDP, which are among {@link #nodes}, too. */
    public Bound sessions() {
        return sessions;
    }
}
