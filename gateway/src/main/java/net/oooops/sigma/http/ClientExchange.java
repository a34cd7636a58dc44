package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import org.jspecify.annotations.Nullable;

/**
 * What a node's connection tells of one response. All calls come on the connection's event loop, in the order: any
 * number of {@link #onInterimResponse}, {@link #onResponse}, any number of {@link #onResponseBody}, {@link #onResponseEnd};
 * {@link #onResponseFault} may end it at any point. After either end the connection doesn't know the exchange any more.
 */
public interface ClientExchange {
    /** The head to read the response into. */
    HttpResponseHead responseHead();

    /** Whether the request was HEAD, whose response has no body. */
    boolean isHeadRequest();

    /**
     * The request, where it asks the node to switch protocols, or is a CONNECT; null where it isn't, and 101 is no answer. A 101 that fits,
     * or what means the same in HTTP/2 (RFC 8441), or success that answers a CONNECT, comes by {@link #onResponse}, and from then on bytes pass as they are, both ways: what the node sends comes as the body of its response, {@link
     * #onResponseEnd} being the end of its output, after which the connection still knows the exchange. {@link ClientStream#content} goes out
     * without framing, and {@link ClientStream#end} ends that direction, of which {@link #onRequestSent} tells when it is done.
     */
    default @Nullable HttpRequestHead switching() {
        return null;
    }

    /** For how long, after a switch of protocols, a node that is left may take what was written. */
    default long lingerNanos() {
        return 0;
    }

    /** After a switch of protocols: all that was written has been sent, and its end after it. */
    default void onRequestSent() {}

    /** An interim response (1xx) stands in the head; it is cleared afterwards. */
    void onInterimResponse();

    /** The head is complete and well-formed. */
    void onResponse();

    /** The next {@code count} bytes of {@code in} are body. The callee moves over exactly these, whatever it does with them. */
    void onResponseBody(ByteBuf in, int count);

    /** The response is complete. */
    void onResponseEnd();

    /** All that was read at once has been told: what was written because of it may leave. */
    void onResponsePause();

    /**
     * The response hasn't begun in time.
     *
     * @return how much longer it may take, in nanoseconds; 0 where it has failed by that
     */
    default long onResponseLate() {
        return 0;
    }

    /**
     * The response failed.
     *
     * @param why with {@link Fault#UPSTREAM_PROTOCOL} what was wrong, else null
     */
    void onResponseFault(Fault fault, @Nullable Refusal why);

    /** {@link BodySink#isWritable} changed. */
    void onUpstreamWritability(boolean writable);
}
