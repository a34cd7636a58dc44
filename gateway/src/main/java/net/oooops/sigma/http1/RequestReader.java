package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * Reads one request after the other out of the bytes that come: {@link #head} until that is done, then {@link #body} until its end. Pure
 * steps: it knows neither the connection nor the time.
 */
final class RequestReader {
    private static final int HEAD_COPY_BYTES = 2048;

    private final Limits limits;
    private final BodyDecoder body = new BodyDecoder();
    private @Nullable Refusal refusal;

    RequestReader(Limits limits) {
        this.limits = limits;
    }

    /** Moves over what belongs to the head. Once that is done, it is known whether there is a body. */
    Step head(ByteBuf in, HttpRequestHead head) {
        head.append(in, Math.min(in.readableBytes(), HEAD_COPY_BYTES));
        Step step = RequestParser.parse(head, limits);
        if (step == Step.REFUSED) {
            refusal = head.refusal();
        } else if (step == Step.DONE) {
            in.readerIndex(in.readerIndex() - head.dropSurplus());
            return beginBody(head);
        }
        return step;
    }

    private Step beginBody(HttpRequestHead head) {
        if (head.contentLength() > limits.bodyBytesMax()) {
            refusal = Refusal.BODY_TOO_LARGE;
            return Step.REFUSED;
        }
        if (!head.hasBody()) {
            body.beginNone();
        } else if (head.isChunked()) {
            body.beginChunked(limits.bodyBytesMax());
        } else {
            body.beginLength(head.contentLength());
        }
        return Step.DONE;
    }

    /** Goes on in the body: moves over its framing, and with {@code CONTENT} stands before {@link #contentBytes} of it. */
    BodyDecoder.Part body(ByteBuf in) {
        BodyDecoder.Part part = body.next(in, limits);
        if (part == BodyDecoder.Part.REFUSED) {
            refusal = body.refusal();
        }
        return part;
    }

    /** How many of the next bytes are body. */
    int contentBytes() {
        return body.contentBytes();
    }

    /** Whether the request is complete. */
    boolean isEnd() {
        return body.isEnd();
    }

    /** The trailers of the request, or null; known once it is complete. */
    @Nullable Trailers trailers() {
        return body.trailers();
    }

    /** Why it is refused, or null. */
    @Nullable Refusal refusal() {
        return refusal;
    }
}
