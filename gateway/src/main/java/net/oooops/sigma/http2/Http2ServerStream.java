package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.BodyParts;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.http.WebSocketKey;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client and its response. The exchange is told what comes, and writes what goes; the stream may outlast it, for what
 * waits for a window.
 *
 * <pre>
 *   input:   BODY ─▶ ended          output:   head ─▶ content ─▶ end, sent when the windows allow
 *   over when the exchange has ended and all is sent; what the client is still sending then isn't wanted (RST_STREAM, NO_ERROR)
 * </pre>
 */
final class Http2ServerStream extends Http2Stream implements ServerStream {
    private static final int CONTINUE = 100;
    private static final int OK = 200;
    private static final int NOT_IMPLEMENTED = 501;

    private final Http2ServerConnection connection;
    private final StreamDeadline deadline;
    private final RequestBody body;

    private @Nullable ServerExchange exchange;
    /** That which has ended, while some of its answer waits. */
    private @Nullable ServerExchange leaving;

    /** Another protocol is asked for (RFC 8441), and the answer to that isn't there yet: what comes meanwhile waits. */
    private boolean switching;

    private final BodyParts early = new BodyParts();
    /** Bytes pass without framing, both ways. */
    private boolean switched;
    /** What came on it is no request: it ends with that, whatever was answered. */
    private boolean malformed;

    private boolean touched;

    Http2ServerStream(Http2ServerConnection connection, Http2Server server, Http2Output output) {
        super(output, server.writer());
        this.connection = connection;
        this.deadline = new StreamDeadline(server, this);
        this.body = new RequestBody(server, deadline);
    }

    /** A request begins. */
    void begin(int streamId, ServerExchange next, long receiveWindowBytes) {
        open(streamId, receiveWindowBytes);
        exchange = next;
        leaving = null;
        deadline.begin();
        body.begin();
        malformed = false;
        switching = false;
        switched = false;
        touched = false;
    }

    @Nullable ServerExchange exchange() {
        return exchange;
    }

    // Told by the connection

    /** The head is complete and well-formed. */
    void onHead(HttpRequestHead head, boolean ends, boolean asTunnel) {
        ServerExchange current = exchange;
        if (current == null) {
            return;
        }
        Refusal tooLarge = body.expect(head.contentLength());
        if (tooLarge != null) {
            refuse(tooLarge);
        } else if (asTunnel) {
            switching = true;
            pauseReceiving(true);
            if (ends) {
                inputEnds();
            }
            complete(current);
        } else if (ends) {
            inputEnds();
            complete(current);
        } else if (head.contentLength() == 0) {
            // The node would take it for complete, and it is malformed if a byte follows (RFC 9113 section 8.1.1).
            body.holdRequest();
        } else {
            body.await(true);
            current.onRequest();
        }
    }

    private void complete(ServerExchange current) {
        current.onRequest();
        if (exchange == current) {
            current.onRequestEnd();
        }
    }

    /** The next {@code count} bytes of {@code in} are body. */
    void onContent(ByteBuf in, int count) {
        ServerExchange current = exchange;
        if (current == null || body.isRefused()) {
            in.skipBytes(count);
            return;
        }
        receivedBody(count);
        if (switching) {
            early.add(in, count);
            return;
        }
        Refusal why = body.came(count);
        if (why != null) {
            in.skipBytes(count);
            refuse(why);
            return;
        }
        int told = body.mayGoOn(in, count, connection.reader().isLastContent());
        if (told > 0) {
            current.onRequestBody(in, told);
        }
        if (exchange == current) {
            if (!touched) {
                // What the exchange wrote may leave once all that was read has been told.
                touched = true;
                connection.touched(this);
            }
            keepRate();
        }
    }

    @Override
    void onPause() {
        touched = false;
        ServerExchange current = exchange;
        if (current != null) {
            current.onRequestPause();
        }
    }

    /** Timeouts are others, also of what is awaited. */
    void follow(Timeouts now) {
        deadline.follow(now);
    }

    private void keepRate() {
        if (!isPaused() && body.isTooSlow()) {
            failLate(Fault.REQUEST_TIMEOUT);
        } else {
            body.await(true);
        }
    }

    /** The request is complete. */
    void onEnd(@Nullable Trailers trailers) {
        ServerExchange current = exchange;
        inputEnds();
        if (current == null || body.isRefused()) {
            return;
        }
        if (!body.holds(current, trailers)) {
            failLate(Fault.OVERLOADED);
            return;
        }
        Refusal tooShort = body.end(trailers);
        if (tooShort != null) {
            refuse(tooShort);
        } else if (body.takeRequest()) {
            complete(current);
        } else if (!switching) {
            endBody(current);
        }
    }

    private void endBody(ServerExchange current) {
        ByteBuf last = body.takeLast();
        if (last != null) {
            current.onRequestBody(last, 1);
        }
        if (exchange == current) {
            current.onRequestEnd();
        }
    }

    /** What came can't be taken. Answered, where no answer has begun; where it is no request at all, the stream ends with an error besides. */
    void refuse(Refusal why) {
        ServerExchange current = exchange;
        malformed |= why.fault() == Fault.BAD_REQUEST;
        boolean first = body.refuse();
        if (current != null && first) {
            current.onRefused(why);
        }
    }

    /** The client doesn't want it any more, or the connection is closed. */
    void onGone() {
        ServerExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.onClientGone();
        } else {
            left(Fault.CLIENT_GONE);
        }
    }

    /** What was awaited hasn't come in time. */
    void failLate(Fault fault) {
        ServerExchange current = exchange;
        deadline.awaitNothing();
        if (fault == Fault.REQUEST_TIMEOUT) {
            body.refuse();
        }
        if (current != null) {
            current.onRequestFault(fault);
        } else {
            left(fault);
            connection.reset(this, Http2Error.CANCEL);
        }
    }

    /** All of an answer whose exchange has ended is sent, or what waits of it won't be. */
    private void left(@Nullable Fault cut) {
        ServerExchange last = leaving;
        leaving = null;
        if (last != null) {
            last.onResponseLeft(cut);
        }
    }

    /** How much waits of it. */
    long waitingBytes() {
        ServerExchange current = exchange;
        return waitingHere() + early.heldBytes() + (current == null ? 0 : current.waitingBytes());
    }

    void onMemoryShort() {
        ServerExchange current = exchange;
        if (current != null) {
            current.onMemoryShort();
        }
    }

    @Override
    void onStalled() {
        deadline.awaitSend();
    }

    /** The client ends its output: it opens no window any more. */
    void onWindowsClosed() {
        deadline.onWindowsClosed();
    }

    @Override
    void onProgress() {
        connection.floods().useful();
        deadline.sent();
    }

    @Override
    protected void onDeadline() {
        Fault late = deadline.passed();
        if (late != null) {
            failLate(late);
        }
    }

    // The request, asked by the exchange

    @Override
    public void pauseBody(boolean pause) {
        if (isInputEnded() || switching || isPaused() == pause) {
            return;
        }
        pauseReceiving(pause);
        body.pause(pause);
    }

    @Override
    public void awaitBody(boolean inTime) {
        body.await(inTime);
    }

    @Override
    public void expectMessages(long idleNanos) {
        body.expectMessages(idleNanos);
    }

    @Override
    public void expectBody() {
        body.expectBody();
    }

    @Override
    public @Nullable Trailers requestTrailers() {
        return body.trailers();
    }

    @Override
    public void askForBody() {
        wrote(output().blocks().response(id(), CONTINUE, lines(), false));
    }

    // The response

    @Override
    public void interim(HttpResponseHead head) {
        HeadWriter lines = lines();
        lines.fields(head);
        wrote(output().blocks().response(id(), head.status(), lines, false));
    }

    @Override
    public void head(HttpRequestHead to, HttpResponseHead head, HeadWriter added, long length, boolean last) {
        if (switching && head.status() < 300) {
            refuseTunnel();
            return;
        }
        boolean bodiless = to.isHead() || head.isBodiless();
        boolean ends = (bodiless || length == 0) && !malformed;
        // Trailers may follow a body of known length, but not from a node of HTTP/1.1.
        if (length >= 0 && !(head.isHttp2() && to.takesTrailers())) {
            head.drop(KnownField.TRAILER);
            length(malformed ? Long.MAX_VALUE : length);
        }
        HeadWriter lines = lines();
        lines.fields(head);
        lines.append(added);
        if (length >= 0) {
            lines.contentLength(length);
        }
        wrote(output().blocks().response(id(), head.status(), lines, ends));
        if (ends) {
            endWithHead();
        }
    }

    /** RFC 8441 section 5: success would say that it is one, and the node answered as any request is. */
    private void refuseTunnel() {
        wrote(output().blocks().response(id(), NOT_IMPLEMENTED, lines(), true));
        endWithHead();
    }

    @Override
    public void switchProtocols(HttpRequestHead to, HttpResponseHead head, HeadWriter added) {
        ServerExchange current = exchange;
        HeadWriter lines = lines();
        // Of the handshake of HTTP/1.1.
        head.remove(WebSocketKey.ACCEPT);
        lines.fields(head);
        lines.append(added);
        wrote(output().blocks().response(id(), to.isAuthorityForm() ? head.status() : OK, lines, false));
        switching = false;
        switched = true;
        body.beginTunnel();
        pauseReceiving(false);
        for (ByteBuf part = early.poll(); part != null; part = early.poll()) {
            if (current != null && exchange == current) {
                current.onRequestBody(part, part.readableBytes());
            }
            part.release();
        }
        if (current != null && exchange == current && isInputEnded()) {
            current.onRequestEnd();
        }
        if (exchange == current && current != null) {
            current.onRequestPause();
        }
    }

    /** The gateway is stopping. */
    void onDrain() {
        ServerExchange current = exchange;
        if (current != null && switched) {
            current.onDrain();
        }
    }

    @Override
    public void end(@Nullable Trailers trailers) {
        if (!malformed) {
            super.end(trailers);
        }
    }

    @Override
    void onWritable() {
        ServerExchange current = exchange;
        deadline.sent();
        if (current != null) {
            current.onClientWritability(true);
        }
    }

    // Its end

    @Override
    void onOutputSent() {
        ServerExchange current = exchange;
        if (current == null) {
            left(null);
            connection.over(this);
        } else if (switched) {
            current.onResponseSent();
        }
    }

    @Override
    public boolean finish() {
        ServerExchange ended = exchange;
        exchange = null;
        deadline.endBody();
        boolean waits = !malformed && !isOutputSent();
        if (waits) {
            leaving = ended;
        } else if (malformed) {
            connection.breakOff(this, Http2Error.PROTOCOL_ERROR);
        } else {
            connection.over(this);
        }
        return !waits;
    }

    @Override
    public void cutShort() {
        exchange = null;
        if (malformed) {
            connection.breakOff(this, Http2Error.PROTOCOL_ERROR);
        } else {
            connection.reset(this, Http2Error.INTERNAL_ERROR);
        }
    }

    @Override
    public void cutShort(Trailers last) {
        if (malformed || switched || !mayEndHere()) {
            cutShort();
        } else {
            exchange = null;
            end(last);
        }
    }

    @Override
    public void abort() {
        exchange = null;
        connection.reset(this, Http2Error.CANCEL);
    }

    /** It is over: nothing of it is left. */
    void close() {
        exchange = null;
        deadline.remove();
        body.close();
        early.clear();
        shut();
    }
}
