package net.oooops.sigma.flow;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.http1.Http1RequestHead;

/**
 * Decides whether a request whose try failed is tried again, and how. The only one that does:
 *
 * <ul>
 *   <li>Nothing was sent ({@link Fault.Retry#YES}): any request, on another node, as long as there is one.
 *   <li>A connection that had been used before was closed without a byte of an answer ({@link Fault.Retry#IF_REUSED}): once, on a
 *       fresh connection, where the request is idempotent (RFC 9110 section 9.2.2) and nothing of a body was sent.
 *   <li>Else it isn't.
 * </ul>
 *
 * <p>Called on a Worker's event loop; has no state.
 */
final class RetryPolicy {
    /** What is to be done. */
    enum Decision {
        /** The exchange fails. */
        GIVE_UP,
        /** Another node is picked. */
        OTHER_NODE,
        /** A node is picked, and a connection opened for it. */
        FRESH_CONNECTION
    }

    private static final Ascii[] IDEMPOTENT = {
        Ascii.of("GET"), Ascii.of("HEAD"), Ascii.of("OPTIONS"), Ascii.of("PUT"), Ascii.of("DELETE"), Ascii.of("QUERY")
    };
    private static final FieldName IDEMPOTENCY_KEY = FieldName.of("Idempotency-Key");

    /**
     * Decides, once the try has failed and before it is left.
     *
     * @param sent whether its head was handed to a connection, so that the node may have seen it
     */
    Decision decide(HttpExchange x, Fault fault, boolean sent) {
        return switch (fault.retry()) {
            case NEVER -> Decision.GIVE_UP;
            case YES -> sent ? Decision.GIVE_UP : Decision.OTHER_NODE;
            case IF_REUSED -> sent && wasClosedIdle(x) ? Decision.FRESH_CONNECTION : Decision.GIVE_UP;
        };
    }

    /** Whether the node may have closed the connection as idle before it saw the request, and another try is harmless if not. */
    private static boolean wasClosedIdle(HttpExchange x) {
        ClientConnection client = x.attempt.client();
        return client != null
                && client.isReused()
                && !client.isAnswered()
                && !x.attempt.isFreshOnly()
                && x.request.body.sentBytes() == 0
                && isIdempotent(x.request.head);
    }

    private static boolean isIdempotent(Http1RequestHead request) {
        for (Ascii method : IDEMPOTENT) {
            if (request.methodIs(method)) {
                return true;
            }
        }
        return request.has(IDEMPOTENCY_KEY);
    }
}
