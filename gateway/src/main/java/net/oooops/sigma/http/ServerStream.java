package net.oooops.sigma.http;

import org.jspecify.annotations.Nullable;

/**
 * The way of one response to its client, and of what else its exchange has to say to the client's connection. The order: any number of
 * {@link #interim}, {@link #head}, {@link #content}, {@link #end}, {@link #finish}; {@link #cutShort} after the head, {@link #abort} at any
 * point.
 *
 * <p>Called on the connection's event loop only.
 */
public interface ServerStream extends BodySink {
    /** Stops or goes on with reading the request's body; what was read already is still told. */
    void pauseBody(boolean pause);

    /** Whether more of the body has to come in time. What comes is read all the same. */
    void awaitBody(boolean inTime);

    /**
     * The body is a stream of messages: it comes as slowly as its sender likes, as long as something passes, one way or the other.
     *
     * @param idleNanos for how long nothing may
     */
    default void expectMessages(long idleNanos) {}

    /** The body is no stream of messages after all: it comes as any other has to. */
    default void expectBody() {}

    /** The trailers of the request, or null; known once it is complete. */
    @Nullable Trailers requestTrailers();

    /** Asks the client for the body, with 100 (Continue), and sends that. */
    void askForBody();

    /** Writes an interim response, and sends it. */
    void interim(HttpResponseHead head);

    /**
     * Writes the head of the final response, and decides how its body is framed.
     *
     * @param to the request
     * @param added what the head gets beside its own fields
     * @param length of the body, -1 where that isn't known or isn't to be told
     * @param last whether nothing that the client sends after its request is wanted
     */
    void head(HttpRequestHead to, HttpResponseHead head, HeadWriter added, long length, boolean last);

    /**
     * Switches to the protocol that the request asked for, or to the tunnel that a CONNECT is for, in the place of {@link #head}: writes the head that says so, and sends it. From
     * then on bytes pass as they are, both ways: {@link #content} goes out without framing; what the client sends comes as the body of its
     * request, {@link ServerExchange#onRequestEnd} being the end of its output. {@link #end} ends this direction alone, of which {@link
     * ServerExchange#onResponseSent} tells when it is done, {@link #finish} the connection, when all is sent; {@link #cutShort} resets it
     * when all is sent, after {@code timeouts.linger} at the latest.
     *
     * @param to the request
     * @param added what the head gets beside its own fields
     */
    void switchProtocols(HttpRequestHead to, HttpResponseHead head, HeadWriter added);

    /** Writes prepared bytes as a part of a body whose length was said. */
    void content(byte[] prepared, int length);

    /** Whether it takes parts of files as parts of this body, for the kernel to send; asked after {@link #head}. */
    default boolean takesFiles() {
        return false;
    }

    /**
     * Writes a part of a file as a part of the body, where {@link #takesFiles}. It isn't read here: the file stays open until it is sent. Until
     * then {@link #isWritable} is false; {@link ServerExchange#onClientWritability} tells when it is.
     *
     * @param bytes of it, which the file has
     */
    default void content(KeptFile file, long position, long bytes) {
        throw new UnsupportedOperationException("a part of a file (expected: where it takes files)");
    }

    /** Writes the end of the body. */
    void end(@Nullable Trailers trailers);

    /**
     * The response is written completely: it is sent, and the connection goes on with what the client sends next, or closes.
     *
     * @return whether all of it has been handed to the connection; if not, {@link ServerExchange#onResponseLeft} tells when it has
     */
    boolean finish();

    /** Lets the client see that the response isn't complete (RFC 9112 section 8). */
    void cutShort();

    /**
     * The same, of a response whose trailers say so: where they can't follow what was written, it is seen otherwise.
     *
     * @param last what they are
     */
    default void cutShort(Trailers last) {
        cutShort();
    }

    /** Ends at once, by a reset. */
    void abort();

    /** How many bytes were received since this was last asked. */
    long takeReceivedBytes();

    /** How many bytes were written since this was last asked. */
    long takeWrittenBytes();

    /** How many bytes of the body are still waiting, or were when it was cut. */
    default long unsentBytes() {
        return 0;
    }
}
