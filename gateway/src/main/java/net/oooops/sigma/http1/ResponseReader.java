package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;

/**
 * Reads one response after the other out of the bytes that come: {@link #head} until that is done, again behind each interim one, then
 * {@link #body} until its end. Behind a head that switches protocols comes none.
 */
final class ResponseReader extends MessageReader {
    private boolean connecting;
    private int interimCount;

    ResponseReader(Limits limits) {
        super(limits);
    }

    /**
     * The response to another request begins.
     *
     * @param toConnect whether that is a CONNECT, to which success is the beginning of a tunnel
     */
    void begin(boolean toConnect) {
        connecting = toConnect;
        interimCount = 0;
    }

    /** Moves over what belongs to the head. */
    Step head(ByteBuf in, HttpResponseHead head) {
        head.append(in, headBytes(in));
        Step parsed = ResponseParser.parse(head, limits());
        Step step = connecting ? ClientTunnel.answerToConnect(head, parsed) : parsed;
        if (step == Step.REFUSED) {
            return refuse(head.refusal());
        }
        if (step == Step.DONE) {
            in.readerIndex(in.readerIndex() - head.dropSurplus());
            if (head.isInterim() && !head.isSwitch()) {
                interimCount++;
                return interimCount > limits().interimResponseCountMax() ? refuse(Refusal.INTERIM_COUNT) : step;
            }
        }
        return step;
    }

    /**
     * The head is that of the response: the body begins.
     *
     * @param toHead whether it answers a HEAD
     */
    void beginBody(HttpResponseHead head, boolean toHead) {
        body.beginResponse(head, toHead);
    }

    /** Whether the response ends where the connection does. */
    boolean isUntilClose() {
        return body.isUntilClose();
    }
}
