package net.oooops.sigma.http;

import org.jspecify.annotations.Nullable;

/**
 * The way of one request to a node. The order: {@link #begin}, {@link #head}, {@link #content}, {@link #end}.
 *
 * <p>Called on the connection's event loop only.
 */
public interface ClientStream extends BodySink {
    /**
     * Begins an exchange.
     *
     * @param responseIdleNanos how long a response may pause once it began
     */
    void begin(ClientExchange next, long responseIdleNanos);

    /**
     * Writes the head of the request, and decides how its body is framed.
     *
     * @param authority the node's own, or null where that of the request goes on
     * @param added what the head gets beside its own fields
     * @param length of the body, -1 where there is none or that isn't known
     * @param waiting how many bytes of the body are about to follow at once
     */
    void head(HttpRequestHead head, byte @Nullable [] authority, HeadWriter added, long length, long waiting);

    /** Writes the end of the body. */
    void end(@Nullable Trailers trailers);

    /** The response must begin within that time from now. */
    void awaitResponse(long nanos);

    /** It isn't the node's turn: the response may begin when it likes. */
    void awaitNoResponse();

    /** Stops or goes on with reading the response's body; what was read already is still told. */
    void pauseBody(boolean pause);

    /** The trailers of the response, or null; known once it is complete. */
    @Nullable Trailers responseTrailers();

    /** Whether its connection carried an exchange before the present one: the node may have closed it unseen. */
    boolean isReused();

    /** Whether any byte of the present response has come. */
    boolean isAnswered();

    /** Whether the node has said that it hasn't looked at the request, so that nothing can have come of it. */
    default boolean isUnprocessed() {
        return false;
    }

    /**
     * Whether another protocol is asked for in the form that HTTP/2 has for that (RFC 8441): the handshake of a WebSocket over HTTP/1.1 is
     * then answered here, not by the node.
     */
    default boolean asksInHttp2() {
        return false;
    }

    /**
     * Whether what was sent doesn't arrive: the node's system, which acknowledges it whatever the node does, has said nothing for so long. False
     * where that isn't known, or is found out and ended by the connection itself.
     */
    default boolean isStuck(long nanos) {
        return false;
    }

    /** How much waits to be sent to the node, or was received and waits to be read. */
    long waitingBytes();

    /** Memory has become short. */
    void onMemoryShort();

    /** How many bytes were received since this was last asked. */
    long takeReceivedBytes();

    /** How many bytes were written since this was last asked. */
    long takeWrittenBytes();

    /** Gives it up: its exchange, if any, is told nothing more. */
    void abandon();
}
