package net.oooops.sigma.config;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Redis that plugins may use.
 *
 * @param id unique among them
 * @param nodes of which one is spoken to; the next one where it can't be, or is a replica that may not be written to
 * @param user whom it is logged in as
 * @param database the number of the one that is used
 * @param tls how it is spoken to over TLS; null: in the clear
 * @param bounds how long things may take, and how many there may be
 */
public record RedisConfig(
        String id,
        List<NodeConfig> nodes,
        User user,
        int database,
        @Nullable NodeTlsConfig tls,
        Bounds bounds) {
    public RedisConfig {
        nodes = List.copyOf(nodes);
    }

    /**
     * Who uses it.
     *
     * @param name empty for the default user
     * @param password empty where none is asked for
     */
    public record User(String name, String password) {
        /** Nobody in particular. */
        public static final User NONE = new User("", "");

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * What bounds it.
     *
     * @param connectTimeoutNanos for a connection, with TLS, until Redis has answered
     * @param commandTimeoutNanos for an answer
     * @param connections at once
     * @param waitingMax commands that have no answer yet
     * @param waitingBytesMax bytes of these commands, together
     * @param replyBytesMax of an answer
     */
    public record Bounds(
            long connectTimeoutNanos,
            long commandTimeoutNanos,
            int connections,
            int waitingMax,
            int waitingBytesMax,
            int replyBytesMax) {
        /** What holds where sigma.json says nothing. */
        public static final Bounds DEFAULT =
                new Bounds(TimeUnit.SECONDS.toNanos(2), TimeUnit.MILLISECONDS.toNanos(500), 1, 1000, 4 << 20, 1 << 20);
    }

    /** Whether it says the same as that one, wherever in sigma.json, and with the same in its files. */
    public boolean isAs(RedisConfig other) {
        return id.equals(other.id)
                && nodes.equals(other.nodes)
                && user.equals(other.user)
                && database == other.database
                && bounds.equals(other.bounds)
                && isAs(tls, other.tls);
    }

    private static boolean isAs(@Nullable NodeTlsConfig one, @Nullable NodeTlsConfig other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        return one.isAs(other)
                && one.trust().authorities().equals(other.trust().authorities())
                && chain(one).equals(chain(other));
    }

    private static List<?> chain(NodeTlsConfig tls) {
        NodeTlsConfig.Shown shown = tls.shown();
        return shown == null ? List.of() : shown.found().chain();
    }
}
