package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * One request to a node, and its response.
 *
 * <pre>
 *   LENT ─▶ HEAD (interim responses come here too) ─▶ BODY ─▶ OVER
 *                └─▶ TUNNEL (the node takes the protocol that it was asked for, RFC 8441) ─▶ OVER
 * </pre>
 *
 * Of a tunnel that is over, what was written may still leave.
 */
final class Http2ClientStream extends Http2Stream implements ClientStream {
    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class State {
        /** Its exchange has written nothing yet. */
        static final int LENT = 0;

        static final int HEAD = 1;
        static final int BODY = 2;
        /** Bytes pass as they are, both ways. */
        static final int TUNNEL = 3;

        static final int OVER = 4;

        private State() {}
    }

    private static final byte[] TE_TRAILERS = Octets.ascii("TE: trailers\r\n");

    private final Http2ClientConnection connection;
    private int state = State.LENT;
    private @Nullable ClientExchange exchange;
    private long idleNanos;
    private boolean answered;
    private boolean reused;
    private boolean unprocessed;
    private int interimCount;
    /** What is left of the body's length; more than any body has where that isn't known. */
    private long expectedBytes;

    private boolean bodiless;
    /** The node is asked for another protocol, and hasn't answered yet: the stream doesn't end with the request. */
    private boolean asking;

    private @Nullable Trailers trailers;
    private boolean touched;

    Http2ClientStream(Http2ClientConnection connection, Http2Output output) {
        super(output, connection.keeper().writer());
        this.connection = connection;
    }

    /** Is lent to another exchange. */
    void lend(boolean onUsedConnection) {
        state = State.LENT;
        exchange = null;
        answered = false;
        reused = onUsedConnection;
        unprocessed = false;
        interimCount = 0;
        asking = false;
        trailers = null;
        touched = false;
    }

    boolean isOpen() {
        return state == State.HEAD || isBegun();
    }

    /** Whether a final response has begun. */
    private boolean isBegun() {
        return state == State.BODY || state == State.TUNNEL;
    }

    /** Whether bytes pass without framing. */
    boolean isTunnel() {
        return state == State.TUNNEL;
    }

    @Override
    public boolean asksInHttp2() {
        return true;
    }

    // The request

    @Override
    public void begin(ClientExchange next, long responseIdleNanos) {
        exchange = next;
        idleNanos = responseIdleNanos;
    }

    @Override
    public void head(HttpRequestHead head, byte @Nullable [] authority, HeadWriter added, long length, long waiting) {
        connection.open(this);
        state = State.HEAD;
        asking = head.asksForTunnel();
        if (asking) {
            HeadWriter fields = fields(head, added);
            wrote(output().blocks().connect(id(), head, authority, fields));
            return;
        }
        boolean ends = length == 0 || (length < 0 && !head.isChunked());
        // Trailers may follow a body of known length, but not from a client of HTTP/1.1.
        if (length >= 0 && !head.isHttp2()) {
            length(length);
        }
        HeadWriter fields = fields(head, added);
        if (head.takesTrailers() || head.grpc.isCall()) {
            fields.append(TE_TRAILERS);
        }
        if (length > 0 || (length == 0 && head.contentLength() == 0)) {
            fields.contentLength(length);
        }
        wrote(output().blocks().request(id(), head, authority, fields, ends));
        if (ends) {
            endWithHead();
        }
    }

    /** All fields but Host, which is in the authority; another try may be one in HTTP/1.1. */
    private HeadWriter fields(HttpRequestHead head, HeadWriter added) {
        HeadWriter fields = lines();
        head.writeWithout(KnownField.HOST, fields);
        fields.append(added);
        return fields;
    }

    @Override
    public void end(@Nullable Trailers section) {
        if (!asking) {
            super.end(section);
        }
    }

    @Override
    void onWritable() {
        ClientExchange current = exchange;
        if (current != null) {
            current.onUpstreamWritability(true);
        }
    }

    @Override
    void onStalled() {}

    @Override
    void onProgress() {}

    @Override
    void onOutputSent() {
        ClientExchange current = exchange;
        if (state == State.OVER) {
            connection.over(this);
        } else if (state == State.TUNNEL && current != null) {
            current.onRequestSent();
        }
    }

    // Time

    @Override
    public void awaitResponse(long nanos) {
        if (state == State.HEAD) {
            connection.wheel().arm(this, nanos);
        }
    }

    @Override
    public void awaitNoResponse() {
        if (state == State.HEAD) {
            connection.wheel().disarm(this);
        }
    }

    @Override
    public void pauseBody(boolean pause) {
        if (isPaused() != pause && state != State.OVER) {
            pauseReceiving(pause);
            if (state == State.BODY) {
                awaitBody();
            }
        }
    }

    private void awaitBody() {
        if (isPaused()) {
            connection.wheel().disarm(this);
        } else {
            connection.wheel().arm(this, idleNanos);
        }
    }

    @Override
    protected void onDeadline() {
        ClientExchange current = exchange;
        if (current == null) {
            // What the tunnel had still to send wasn't taken in time.
            connection.end(this, Http2Error.CANCEL);
            return;
        }
        long more = state == State.HEAD ? current.onResponseLate() : 0;
        if (more > 0) {
            connection.wheel().arm(this, more);
        } else {
            fail(state == State.BODY ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_TIMEOUT, null, Http2Error.CANCEL);
        }
    }

    // The response

    /** A header block has come: where it goes. */
    @Nullable HttpResponseHead headToRead() {
        ClientExchange current = exchange;
        return state == State.HEAD && current != null ? current.responseHead() : null;
    }

    /** The head of a response is there, interim or final. */
    void onHead(HttpResponseHead head, boolean ends) {
        ClientExchange current = exchange;
        if (current == null) {
            return;
        }
        answered = true;
        if (head.isInterim()) {
            interim(current, head, ends);
            return;
        }
        if (asking) {
            asking = false;
            if (head.isSuccess()) {
                openTunnel(current, head, ends);
                return;
            }
            // An answer like any other: there is nothing more to say.
            super.end(null);
        }
        state = State.BODY;
        bodiless = current.isHeadRequest() || head.isBodiless();
        expectedBytes = bodiless || head.contentLength() < 0 ? Long.MAX_VALUE : head.contentLength();
        if (ends) {
            inputEnds();
            connection.wheel().disarm(this);
        } else {
            awaitBody();
        }
        if (ends && !bodiless && head.contentLength() < 0) {
            head.empty();
        }
        if (ends && expectedBytes > 0 && expectedBytes < Long.MAX_VALUE) {
            fail(Fault.UPSTREAM_PROTOCOL, Refusal.BODY_LENGTH, Http2Error.PROTOCOL_ERROR);
            return;
        }
        current.onResponse();
        if (ends && exchange == current) {
            complete(current);
        }
    }

    private void openTunnel(ClientExchange current, HttpResponseHead head, boolean ends) {
        state = State.TUNNEL;
        bodiless = false;
        expectedBytes = Long.MAX_VALUE;
        connection.wheel().disarm(this);
        HttpRequestHead asked = current.switching();
        if (asked == null || asked.isAuthorityForm()) {
            head.opensTunnel();
        } else {
            head.switches();
        }
        current.onResponse();
        if (ends) {
            onEnd(null);
        }
    }

    private void interim(ClientExchange current, HttpResponseHead head, boolean ends) {
        interimCount++;
        if (ends || interimCount > connection.limits().interimResponseCountMax()) {
            Refusal why = ends ? Refusal.PSEUDO_FIELD : Refusal.INTERIM_COUNT;
            fail(Fault.UPSTREAM_PROTOCOL, why, Http2Error.PROTOCOL_ERROR);
        } else {
            current.onInterimResponse();
            // Else it may have another answer in it, as the exchange has failed.
            if (exchange == current) {
                head.clear();
            }
        }
    }

    /** A rule of the protocol was broken on it. */
    void breakOff(Http2Error why) {
        fail(isBegun() ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_PROTOCOL, Refusal.STATUS_LINE, why);
    }

    /** What came is no response. */
    void refuse(Refusal why) {
        fail(isBegun() ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_PROTOCOL, why, Http2Error.PROTOCOL_ERROR);
    }

    /** The next {@code count} bytes of {@code in} are body. */
    void onContent(ByteBuf in, int count) {
        ClientExchange current = exchange;
        if (current == null || !isBegun()) {
            in.skipBytes(count);
            return;
        }
        receivedBody(count);
        expectedBytes -= count;
        if (expectedBytes < 0 || bodiless) {
            in.skipBytes(count);
            refuse(Refusal.BODY_LENGTH);
            return;
        }
        current.onResponseBody(in, count);
        if (exchange == current) {
            if (!touched) {
                touched = true;
                connection.touched(this);
            }
            if (!isPaused() && state == State.BODY) {
                connection.wheel().arm(this, idleNanos);
            }
        }
    }

    @Override
    void onPause() {
        touched = false;
        ClientExchange current = exchange;
        if (current != null) {
            current.onResponsePause();
        }
    }

    /** The response is complete. */
    void onEnd(@Nullable Trailers section) {
        ClientExchange current = exchange;
        inputEnds();
        if (current != null && state == State.TUNNEL) {
            current.onResponseEnd();
        }
        if (current == null || state != State.BODY) {
            return;
        }
        boolean tooShort = expectedBytes > 0 && !bodiless && expectedBytes <= Long.MAX_VALUE / 2;
        if (tooShort) {
            refuse(Refusal.BODY_LENGTH);
            return;
        }
        trailers = section;
        complete(current);
    }

    private void complete(ClientExchange current) {
        state = State.OVER;
        exchange = null;
        connection.wheel().disarm(this);
        current.onResponseEnd();
    }

    /** The node, or the connection, has ended it. Other streams are to be told so, too, whatever is thrown for this one. */
    void onBroken(boolean notLookedAt) {
        unprocessed = notLookedAt && !answered;
        inputEnds();
        try {
            fail(isBegun() ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_CLOSED, null, null);
        } catch (Throwable e) {
            connection.keeper().onThrown(e);
        }
    }

    private void fail(Fault fault, @Nullable Refusal why, @Nullable Http2Error word) {
        ClientExchange current = exchange;
        exchange = null;
        state = State.OVER;
        connection.end(this, word);
        if (current != null) {
            current.onResponseFault(fault, why);
        }
    }

    /** It is over: nothing of it is left. */
    void close() {
        state = State.OVER;
        connection.wheel().remove(this);
        shut();
    }

    // Asked by the exchange

    @Override
    public @Nullable Trailers responseTrailers() {
        return trailers;
    }

    @Override
    public boolean isReused() {
        return reused;
    }

    @Override
    public boolean isAnswered() {
        return answered;
    }

    @Override
    public boolean isUnprocessed() {
        return unprocessed;
    }

    @Override
    public long waitingBytes() {
        return waitingHere() + connection.waitingBytesOfEach();
    }

    @Override
    public void onMemoryShort() {
        connection.onMemoryShort();
    }

    /** Gives it up, or back: what the node is still sending isn't wanted. */
    @Override
    public void abandon() {
        ClientExchange left = exchange;
        exchange = null;
        boolean complete = isInputEnded() && isOutputSent();
        boolean tunnel = isTunnel();
        if (state == State.LENT) {
            state = State.OVER;
            connection.unlend(this);
        } else if (tunnel && isOutputEnded() && !isOutputSent() && left != null) {
            state = State.OVER;
            connection.wheel().arm(this, left.lingerNanos());
        } else {
            state = State.OVER;
            connection.end(this, complete ? null : isInputEnded() && !tunnel ? Http2Error.NO_ERROR : Http2Error.CANCEL);
        }
    }

    /** Its exchange is over, and all is well: what is still to be sent of the request leaves. */
    void giveBack() {
        exchange = null;
        if (isOutputSent()) {
            abandon();
        }
    }
}
