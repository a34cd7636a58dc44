package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
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

    /** What its deadline is for. */
    private enum Wait {
        NOTHING,
        BODY,
        SEND
    }

    private final Http2ServerConnection connection;
    private final Http2Server server;
    private final BodyRate rate = new BodyRate();

    private @Nullable ServerExchange exchange;
    private long expectedBytes;
    private long contentBytes;
    private long receivedBytes;
    private @Nullable Trailers requestTrailers;
    /** What came on it is no request: it ends with that, whatever was answered. */
    private boolean malformed;

    private Wait wait = Wait.NOTHING;
    /** What had left when it began to wait for that. */
    private long sentBytes;

    private boolean touched;

    Http2ServerStream(Http2ServerConnection connection, Http2Server server, Http2Output output) {
        super(output);
        this.connection = connection;
        this.server = server;
    }

    /** A request begins. */
    void begin(int streamId, ServerExchange next, long receiveWindowBytes) {
        open(streamId, receiveWindowBytes);
        exchange = next;
        expectedBytes = -1;
        contentBytes = 0;
        receivedBytes = 0;
        requestTrailers = null;
        malformed = false;
        wait = Wait.NOTHING;
        touched = false;
    }

    @Nullable ServerExchange exchange() {
        return exchange;
    }

    // Told by the connection

    /** The head is complete and well-formed. */
    void onHead(HttpRequestHead head, boolean ends) {
        ServerExchange current = exchange;
        if (current == null) {
            return;
        }
        expectedBytes = head.contentLength();
        if (head.contentLength() > server.limits().bodyBytesMax()) {
            refuse(Refusal.BODY_TOO_LARGE);
        } else if (ends) {
            inputEnds();
            current.onRequest();
            if (exchange == current) {
                current.onRequestEnd();
            }
        } else {
            rate.await();
            awaitBody();
            current.onRequest();
        }
    }

    /** The next {@code count} bytes of {@code in} are body. */
    void onContent(ByteBuf in, int count) {
        ServerExchange current = exchange;
        if (current == null || malformed) {
            in.skipBytes(count);
            return;
        }
        contentBytes += count;
        receivedBytes += count;
        boolean tooLong = expectedBytes >= 0 && contentBytes > expectedBytes;
        if (tooLong || contentBytes > server.limits().bodyBytesMax()) {
            in.skipBytes(count);
            refuse(tooLong ? Refusal.BODY_LENGTH : Refusal.BODY_TOO_LARGE);
            return;
        }
        rate.onBytes(server.clock().nanos());
        rate.add(count);
        current.onRequestBody(in, count);
        if (exchange == current) {
            touch();
            keepRate();
        }
    }

    /** What the exchange wrote may leave once all that was read has been told. */
    private void touch() {
        if (!touched) {
            touched = true;
            connection.touched(this);
        }
    }

    /** All that was read at once has been told. */
    void onPause() {
        touched = false;
        ServerExchange current = exchange;
        if (current != null) {
            current.onRequestPause();
        }
    }

    private void keepRate() {
        if (!isPaused() && rate.isTooSlow(server.clock().nanos(), server.timeouts())) {
            failLate(Fault.REQUEST_TIMEOUT);
        } else {
            awaitBody();
        }
    }

    /** The request is complete. */
    void onEnd(@Nullable Trailers trailers) {
        ServerExchange current = exchange;
        boolean tooShort = expectedBytes >= 0 && contentBytes < expectedBytes;
        inputEnds();
        if (current == null || malformed) {
            return;
        }
        if (tooShort) {
            refuse(Refusal.BODY_LENGTH);
            return;
        }
        requestTrailers = trailers;
        awaitNoBody();
        current.onRequestEnd();
    }

    /** What came can't be taken. Answered, where no answer has begun; where it is no request at all, the stream ends with an error besides. */
    void refuse(Refusal why) {
        ServerExchange current = exchange;
        malformed |= why.fault() == Fault.BAD_REQUEST;
        awaitNoBody();
        if (current != null) {
            current.onRefused(why);
        }
    }

    /** The client doesn't want it any more, or the connection is closed. */
    void onGone() {
        ServerExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.onClientGone();
        }
    }

    /** What was awaited hasn't come in time. */
    void failLate(Fault fault) {
        ServerExchange current = exchange;
        awaitNothing();
        if (current != null) {
            current.onRequestFault(fault);
        } else {
            connection.reset(this, Http2Error.CANCEL);
        }
    }

    /** How much waits of it. */
    long waitingBytes() {
        ServerExchange current = exchange;
        return waitingHere() + (current == null ? 0 : current.waitingBytes());
    }

    void onMemoryShort() {
        ServerExchange current = exchange;
        if (current != null) {
            current.onMemoryShort();
        }
    }

    // Deadlines

    private void awaitBody() {
        if (!isInputEnded() && !isPaused() && wait != Wait.SEND) {
            wait = Wait.BODY;
            server.wheel().arm(this, server.timeouts().bodyIdleNanos());
        }
    }

    private void awaitNoBody() {
        if (wait == Wait.BODY) {
            awaitNothing();
        }
    }

    private void awaitNothing() {
        wait = Wait.NOTHING;
        server.wheel().disarm(this);
    }

    @Override
    void onStalled() {
        if (wait != Wait.SEND) {
            wait = Wait.SEND;
            sentBytes = output().outlet().sentBytes();
            server.wheel().arm(this, server.timeouts().sendStallNanos());
        }
    }

    @Override
    void onProgress() {
        connection.floods().useful();
        if (wait == Wait.SEND) {
            awaitNothing();
            awaitBody();
        }
    }

    @Override
    protected void onDeadline() {
        Wait was = wait;
        wait = Wait.NOTHING;
        switch (was) {
            case BODY -> failLate(Fault.REQUEST_TIMEOUT);
            case SEND -> onUnsent();
            case NOTHING -> {}
        }
    }

    /** The client took nothing of it: stalled, or others had their turns. */
    private void onUnsent() {
        boolean othersHadTurns = !isWindowUsedUp() && output().outlet().sentBytes() > sentBytes;
        boolean waits = waitingHere() > 0 || queuedAt >= 0 || isWindowUsedUp();
        if (othersHadTurns) {
            onStalled();
        } else if (waits) {
            failLate(Fault.CLIENT_STALLED);
        }
    }

    // The request, asked by the exchange

    @Override
    public void pauseBody(boolean pause) {
        if (isInputEnded() || isPaused() == pause) {
            return;
        }
        rate.pause(pause, server.clock().nanos());
        pauseReceiving(pause);
        if (pause) {
            awaitNoBody();
        } else {
            awaitBody();
        }
    }

    @Override
    public void awaitBody(boolean inTime) {
        if (inTime) {
            awaitBody();
        } else {
            awaitNoBody();
        }
    }

    @Override
    public @Nullable Trailers requestTrailers() {
        return requestTrailers;
    }

    @Override
    public long takeReceivedBytes() {
        long taken = receivedBytes;
        receivedBytes = 0;
        return taken;
    }

    @Override
    public void askForBody() {
        wrote(output().blocks().response(id(), CONTINUE, server.writer().begin(), false));
    }

    // The response

    @Override
    public void interim(HttpResponseHead head) {
        HeadWriter writer = server.writer().begin();
        writer.fields(head);
        wrote(output().blocks().response(id(), head.status(), writer, false));
    }

    @Override
    public void head(HttpRequestHead to, HttpResponseHead head, HeadWriter added, long length, boolean last) {
        boolean bodiless = to.isHead() || head.isBodiless();
        boolean ends = (bodiless || length == 0) && !malformed;
        if (length >= 0) {
            head.drop(KnownField.TRAILER);
        }
        if (length >= 0 && !malformed) {
            length(length);
        }
        HeadWriter writer = server.writer().begin();
        writer.fields(head);
        writer.append(added);
        if (length >= 0) {
            writer.contentLength(length);
        }
        wrote(output().blocks().response(id(), head.status(), writer, ends));
        if (ends) {
            endWithHead();
        }
    }

    @Override
    public void end(@Nullable Trailers trailers) {
        if (!malformed) {
            super.end(trailers);
        }
    }

    @Override
    int writeTrailers(Trailers section) {
        HeadWriter writer = server.writer().begin();
        writer.fields(section);
        return output().blocks().trailers(id(), writer);
    }

    @Override
    public void flush() {
        output().flushSoon();
    }

    @Override
    public long takeWrittenBytes() {
        return takeWritten();
    }

    @Override
    void onWritable() {
        ServerExchange current = exchange;
        if (wait == Wait.SEND) {
            awaitNothing();
            awaitBody();
        }
        if (current != null) {
            current.onClientWritability(true);
        }
    }

    // Its end

    @Override
    void onOutputSent() {
        if (exchange == null) {
            connection.over(this);
        }
    }

    @Override
    public void finish() {
        exchange = null;
        awaitNoBody();
        if (malformed) {
            connection.breakOff(this, Http2Error.PROTOCOL_ERROR);
        } else if (isOutputSent()) {
            connection.over(this);
        }
    }

    /** What its client is told at its end: one that is still sending, that nobody wants more of it. */
    @Nullable Http2Error lastWord() {
        return isInputEnded() ? null : Http2Error.NO_ERROR;
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
    public void abort() {
        exchange = null;
        connection.reset(this, Http2Error.CANCEL);
    }

    /** It is over: nothing of it is left. */
    void close() {
        exchange = null;
        wait = Wait.NOTHING;
        server.wheel().remove(this);
        shut();
    }
}
