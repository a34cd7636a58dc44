package net.oooops.sigma.flow;

import net.oooops.sigma.http1.ClientConnection;
import org.jspecify.annotations.Nullable;

/**
 * The tries of an exchange to have its request answered by a node: the one under way, and what is left of those before. Made once
 * with the exchange, and used again.
 */
final class Attempt {
    final TriedNodes tried = new TriedNodes();

    private @Nullable HttpNode node;
    private @Nullable HttpNode lastNode;
    private @Nullable ClientConnection client;
    private HttpNode.@Nullable Opening opening;
    private boolean freshOnly;
    private int count;

    /** Makes it ready for another request. */
    void reset() {
        node = null;
        lastNode = null;
        client = null;
        opening = null;
        freshOnly = false;
        count = 0;
        tried.clear();
    }

    /** Another try begins. */
    void begin(HttpNode on) {
        node = on;
        lastNode = on;
        count++;
    }

    /** A connection is being opened for it. */
    void open(HttpNode.Opening connection) {
        opening = connection;
    }

    /** Whether a connection is being opened for it. */
    boolean isOpening() {
        return opening != null;
    }

    /** Whether that is the connection which is being opened for it. */
    boolean awaits(HttpNode.Opening connection) {
        return opening == connection;
    }

    /** No connection is being opened for it any more. */
    void stopOpening() {
        opening = null;
    }

    /** It has a connection. */
    void connected(ClientConnection connection) {
        client = connection;
    }

    /** It is over. Returns the connection that it had, if any. */
    @Nullable ClientConnection leave() {
        ClientConnection left = client;
        node = null;
        client = null;
        return left;
    }

    /** From now on only a connection that is opened for it will do. */
    void needFresh() {
        freshOnly = true;
    }

    boolean isFreshOnly() {
        return freshOnly;
    }

    /** The node of the try under way. */
    @Nullable HttpNode node() {
        return node;
    }

    /** The node of the last try, for the log. */
    @Nullable HttpNode lastNode() {
        return lastNode;
    }

    /** The connection of the try under way. */
    @Nullable ClientConnection client() {
        return client;
    }

    /** How many there were, with the one under way. */
    int count() {
        return count;
    }
}
