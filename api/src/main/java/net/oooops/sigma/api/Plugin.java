package net.oooops.sigma.api;

import java.nio.ByteBuffer;

/**
 * Policy on the way of an exchange, or of a session. One instance is made for each place of sigma.json that names the plugin and is shared by
 * all exchanges or sessions that pass there and by all Workers: it is immutable or safe for use from several threads.
 *
 * <p>Plugins see requests in the order in which sigma.json writes them (server, router, route, proxy-pass) and responses in
 * the reverse order. Methods are called on the exchange's event loop and must not block, unless {@link Needs#blocking} says
 * that {@code onRequest} and {@code onResponse} do. An exception ends the exchange with 500 and is logged with the plugin's
 * name.
 */
public interface Plugin extends AutoCloseable {
    /** What this plugin needs to be called for. Read once, when the chain is compiled. */
    Needs needs();

    /**
     * Sees a session that begins, before it gets a node; called where {@link Needs#session} is true, for sessions of TCP and UDP servers.
     * An exception ends the session.
     */
    default SessionOutcome onSession(Session session) throws Exception {
        return SessionOutcome.CONTINUE;
    }

    /** Sees the request before it goes upstream; called where {@link Needs#request} is true. */
    default Outcome onRequest(Exchange exchange) throws Exception {
        return Outcome.CONTINUE;
    }

    /**
     * Sees the response before it goes to the client, those of Sigma's own and of other plugins included; called where
     * {@link Needs#response} is true. Not called for a response to a request that couldn't be understood.
     */
    default Outcome onResponse(Exchange exchange) throws Exception {
        return Outcome.CONTINUE;
    }

    /**
     * Sees the next bytes of the request's body; called where {@link Needs#requestBody} is {@link BodyNeed.Kind#CHUNKS}.
     * {@code chunk} is read-only and valid until this method returns.
     */
    default void onRequestChunk(Exchange exchange, ByteBuffer chunk) {}

    /** Sees the next bytes of the response's body; otherwise as {@link #onRequestChunk}. */
    default void onResponseChunk(Exchange exchange, ByteBuffer chunk) {}

    /** Is told, where {@link Needs#end} is true, that the exchange ended, completely or not; see {@link Exchange#fault}. */
    default void onEnd(Exchange exchange) {}

    /** Releases what the plugin holds, after its last exchange. */
    @Override
    default void close() {}
}
