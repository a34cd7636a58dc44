package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import org.jspecify.annotations.Nullable;

/**
 * What a client's connection tells of one request. All calls come on the connection's event loop, in the order: {@link
 * #onRequest}, any number of {@link #onRequestBody}, {@link #onRequestEnd}; one of {@link #onRefused}, {@link
 * #onRequestFault} and {@link #onClientGone} may end it at any point, the head's included.
 */
public interface ServerExchange {
    /** The head to read the request into. */
    HttpRequestHead requestHead();

    /** The head is complete and well-formed. */
    void onRequest();

    /** The next {@code count} bytes of {@code in} are body. The callee moves over exactly these, whatever it does with them. */
    void onRequestBody(ByteBuf in, int count);

    /** The request is complete. */
    void onRequestEnd();

    /** All that was read at once has been told: what was written because of it may leave. */
    void onRequestPause();

    /** The request is refused; nothing more of it will be read. */
    void onRefused(Refusal why);

    /** The request failed: {@link Fault#REQUEST_TIMEOUT}, {@link Fault#CLIENT_STALLED}, or what else its client's connection ends it for. */
    void onRequestFault(Fault fault);

    /** The connection is closed. */
    void onClientGone();

    /** After a switch of protocols: all that was written has been sent, and its end after it. */
    default void onResponseSent() {}

    /**
     * What was still waiting when {@link ServerStream#finish} was called has been handed to the connection, or never will be.
     *
     * @param cut why it won't, or null
     */
    default void onResponseLeft(@Nullable Fault cut) {}

    /** After a switch of protocols: the gateway is stopping. What has an end of its own may end now. */
    default void onDrain() {}

    /** Whether it was refused in a way that leaves nothing to wait for of what its client sends. */
    default boolean isRefused() {
        return false;
    }

    /** How much waits that this exchange received and hasn't written to the client's connection, but for bodies that are collected. */
    long waitingBytes();

    /** Memory has become short: what the node sends is read a little at a time. */
    void onMemoryShort();

    /** {@link BodySink#isWritable} changed. */
    void onClientWritability(boolean writable);
}
