package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * What {@link RequestReader} and {@link ResponseReader} have in common: once a head is done, its body is read, and why a message is refused is
 * known. Pure steps: they know neither the connection nor the time.
 *
 * <p>Called on one event loop only.
 */
abstract class MessageReader {
    private static final int HEAD_COPY_BYTES = 2048;

    private Limits limits;
    final BodyDecoder body = new BodyDecoder();
    private @Nullable Refusal refusal;

    MessageReader(Limits limits) {
        this.limits = limits;
    }

    final Limits limits() {
        return limits;
    }

    /** What is read from now on is measured by these; a body that has begun may be as large as it might. */
    final void follow(Limits now) {
        limits = now;
    }

    /** How much of {@code in} is copied before it is looked at: what follows a head isn't to be copied for nothing. */
    static int headBytes(ByteBuf in) {
        return Math.min(in.readableBytes(), HEAD_COPY_BYTES);
    }

    /** The message is refused. */
    final Step refuse(@Nullable Refusal why) {
        refusal = why;
        return Step.REFUSED;
    }

    /** Goes on in the body: moves over its framing, and with {@code CONTENT} stands before {@link #contentBytes} of it. */
    final BodyDecoder.Part body(ByteBuf in) {
        BodyDecoder.Part part = body.next(in, limits);
        if (part == BodyDecoder.Part.REFUSED) {
            refusal = body.refusal();
        }
        return part;
    }

    /** How many of the next bytes are body. */
    final int contentBytes() {
        return body.contentBytes();
    }

    /** How much of the body is still to come; more than there can be where nobody knows. */
    final long missingBytes() {
        return body.missingBytes();
    }

    /** Whether the message is complete. */
    final boolean isEnd() {
        return body.isEnd();
    }

    /** The trailers of the message, or null; known once it is complete. */
    final @Nullable Trailers trailers() {
        return body.trailers();
    }

    /** Whose exchange is over: its trailers aren't held while the connection waits. */
    final void dropTrailers() {
        body.dropTrailers();
    }

    /** Why it is refused, or null. */
    final @Nullable Refusal refusal() {
        return refusal;
    }
}
