package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;

/** Reads one request after the other out of the bytes that come: {@link #head} until that is done, then {@link #body} until its end. */
final class RequestReader extends MessageReader {
    RequestReader(Limits limits) {
        super(limits);
    }

    /** Moves over what belongs to the head. Once that is done, it is known whether there is a body. */
    Step head(ByteBuf in, HttpRequestHead head) {
        head.append(in, headBytes(in));
        Step step = RequestParser.parse(head, limits());
        if (step == Step.REFUSED) {
            return refuse(head.refusal());
        }
        if (step == Step.DONE) {
            in.readerIndex(in.readerIndex() - head.dropSurplus());
            return beginBody(head);
        }
        return step;
    }

    private Step beginBody(HttpRequestHead head) {
        if (head.contentLength() > limits().bodyBytesMax()) {
            return refuse(Refusal.BODY_TOO_LARGE);
        }
        if (!head.hasBody()) {
            body.beginNone();
        } else if (head.isChunked()) {
            body.beginChunked(limits().bodyBytesMax());
        } else {
            body.beginLength(head.contentLength());
        }
        return Step.DONE;
    }
}
