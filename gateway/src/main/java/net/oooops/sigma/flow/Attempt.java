package net.oooops.sigma.flow;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.flow.RetryPolicy.Decision;
import net.oooops.sigma.http1.ClientConnection;
import org.jspecify.annotations.Nullable;

/**
 * The tries of an exchange to have its request answered by a node: the one under way, and what is left of those before. Made once
 * with the exchange, and used again.
 */
final class Attempt {
    final TriedNodes tried = new TriedNodes();
    private final Report report = new Report();

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
        report.begin(on);
    }

    /** The head of the node's answer is there. */
    void answered(int status) {
        HttpNode on = node;
        if (on != null) {
            report.heard(on, saysThatItFailed(status) ? Heard.FAILURE : Heard.ANSWER);
        }
    }

    /** Of those of RFC 9110 section 15.6 and later ones, all that don't say what the request asks too much of. */
    private static boolean saysThatItFailed(int status) {
        return status == 500 || (status >= 502 && status <= 504);
    }

    /** It failed, for that reason. */
    void failed(Fault fault, Decision next) {
        HttpNode on = node;
        if (on != null) {
            // Waiting for one's turn, or on a connection that was idle for too long, tells of no failure.
            boolean itsDoing =
                    next != Decision.FRESH_CONNECTION && fault != Fault.POOL_OVERFLOW && fault != Fault.POOL_TIMEOUT;
            report.heard(on, itsDoing ? Heard.FAILURE : Heard.NOTHING);
        }
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
        if (node != null) {
            report.end(node);
        }
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
