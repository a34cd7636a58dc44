package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http.GrpcMarks;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * An exchange that is a call of gRPC: within which time its client wants it answered ({@code grpc-timeout}), which bounds all of it and is less
 * for each further node that is asked. Errors of Sigma's own are statuses of gRPC for it, since its client looks at nothing else.
 *
 * <p>One for each call. Belongs to one Worker.
 */
final class GrpcCall extends Timed {
    private static final FieldName TIMEOUT = FieldName.of("grpc-timeout");

    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final String TYPE = "application/grpc";
    /** Before each message: a flag, and how long it is. */
    private static final int PREFIX_BYTES = 5;

    /** A node is told whole milliseconds. */
    private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final HttpExchange exchange;
    private final DeadlineWheel wheel;
    private final long timeoutNanos;

    private int prefixBytes;
    /** Of the flag nothing is left once all of it was read. */
    private int messageBytes;

    private long messageLeft;
    /** Bytes of its answer have come. */
    private boolean begun;
    /** It is looked for where messages end: else nothing is known of that. */
    private boolean counted = true;

    private GrpcCall(HttpExchange exchange, DeadlineWheel wheel, long timeoutNanos) {
        this.exchange = exchange;
        this.wheel = wheel;
        this.timeoutNanos = timeoutNanos;
    }

    /** The call that a request is, or null. Only HTTP/2 carries any. */
    static @Nullable GrpcCall of(HttpExchange x, DeadlineWheel wheel) {
        GrpcMarks marks = x.request.head.grpc;
        return marks.isCall() ? begin(x, wheel, marks.timeoutNanos()) : null;
    }

    /** The call that a plugin makes of a request, whose fields nobody has looked at before. */
    static GrpcCall made(HttpExchange x, DeadlineWheel wheel) {
        GrpcMarks marks = x.request.head.grpc;
        String timeout = x.request.head.value(TIMEOUT);
        if (timeout != null) {
            byte[] bytes = timeout.getBytes(StandardCharsets.ISO_8859_1);
            marks.timeout(bytes, 0, bytes.length);
        }
        return begin(x, wheel, marks.timeoutNanos());
    }

    private static GrpcCall begin(HttpExchange x, DeadlineWheel wheel, long timeoutNanos) {
        GrpcCall call = new GrpcCall(x, wheel, timeoutNanos);
        if (call.isTimed()) {
            // Others may have taken some of it.
            long leftNanos = x.startNanos + timeoutNanos - x.proxy.loop.clock().nanos();
            wheel.arm(call, Math.max(0, leftNanos));
        }
        return call;
    }

    /** Whether its client says for how long it waits. */
    boolean isTimed() {
        return timeoutNanos != GrpcMarks.NO_TIMEOUT;
    }

    /** Whether its client may wait for longer than for any answer that isn't a call's: then a node that is quiet that long isn't silent. */
    boolean isPatient() {
        return timeoutNanos > exchange.plan.responseTimeoutNanos() && mayBeQuiet();
    }

    /**
     * Whether both sides may be quiet for long: not by its client's word alone, which any request can have. Only HTTP/2 carries calls, so
     * nodes of HTTP/1.1 get none, unless a plugin says so.
     */
    boolean mayBeQuiet() {
        Upstream upstream = exchange.plan.upstream();
        return upstream != null
                && (exchange.request.head.grpc.isMade() || upstream.config().httpVersion() != HttpVersion.HTTP_1_1);
    }

    /** How its client has to send its body, now that its plan is another one or it has become a call. */
    void expectBody() {
        if (mayBeQuiet()) {
            exchange.stream.expectMessages(exchange.plan.tunnel().idleNanos());
        } else {
            exchange.stream.expectBody();
        }
    }

    /** Why a call failed: a node that was told its time ends it itself when that has passed, and often before the wheel turns. */
    Fault lateOr(Fault why, long nowNanos) {
        boolean passed = isTimed() && nowNanos - exchange.startNanos >= timeoutNanos - EARLY_NANOS;
        return passed && why.side() == Fault.Side.UPSTREAM ? Fault.UPSTREAM_TIMEOUT : why;
    }

    /** The request is about to be sent: says how much time is left, in milliseconds. */
    void write(HttpRequestHead head, long nowNanos) {
        if (isTimed()) {
            long leftNanos = exchange.startNanos + timeoutNanos - nowNanos;
            long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
            boolean fits = millis < 100_000_000;
            head.set(Field.of("grpc-timeout", fits ? millis + "m" : TimeUnit.MILLISECONDS.toSeconds(millis) + "S"));
        }
    }

    /** The next {@code count} bytes of {@code in} are of its answer: looked at, for where messages end, where somebody may ask for that. */
    void passes(ByteBuf in, int count) {
        if (!begun) {
            begun = true;
            counted = mayHaveLastWord();
        }
        if (counted) {
            count(in, in.readerIndex(), in.readerIndex() + count);
        }
    }

    private void count(ByteBuf in, int from, int end) {
        int at = from;
        while (at < end) {
            if (messageLeft > 0) {
                int part = (int) Math.min(messageLeft, end - at);
                messageLeft -= part;
                at += part;
            } else if (prefixBytes == 0 && end - at >= PREFIX_BYTES) {
                messageLeft = in.getUnsignedInt(at + 1);
                at += PREFIX_BYTES;
            } else {
                countPrefix(in.getByte(at));
                at++;
            }
        }
    }

    /** A prefix comes in parts. */
    private void countPrefix(byte next) {
        messageBytes = (messageBytes << 8) | (next & 0xFF);
        prefixBytes++;
        if (prefixBytes == PREFIX_BYTES) {
            prefixBytes = 0;
            messageLeft = messageBytes & 0xFFFF_FFFFL;
        }
    }

    /** Whether the answer can have trailers that the node didn't send: it passes as it comes, and nobody was told how long it is. */
    private boolean mayHaveLastWord() {
        ResponseSide response = exchange.response;
        return exchange.request.head.isHttp2()
                && response.transforms == null
                && !response.head.isOwn()
                && !response.body.isCollecting()
                && !response.body.isCollected()
                && response.head.contentLength() < 0;
    }

    /**
     * What its client is told behind an answer that has begun, and is cut by that fault. A reset would be INTERNAL to it, whatever the fault is,
     * which clients that begin a lost stream anew take for final.
     *
     * @return null where the answer can't say it: it isn't one of gRPC as it came, or a message has begun
     */
    @Nullable Trailers lastWord(Fault fault) {
        if (fault == Fault.PLUGIN_FAILED || fault == Fault.INTERNAL) {
            // What was counted may not have been written.
            return null;
        }
        boolean betweenMessages =
                counted && messageLeft == 0 && prefixBytes == 0 && !exchange.response.body.isWaiting();
        return betweenMessages && mayHaveLastWord() && isOfGrpc() ? LocalResponse.status(fault) : null;
    }

    private boolean isOfGrpc() {
        String type = exchange.response.head.value(CONTENT_TYPE);
        return type != null
                && type.regionMatches(true, 0, TYPE, 0, TYPE.length())
                && (type.length() == TYPE.length() || "+;".indexOf(type.charAt(TYPE.length())) >= 0);
    }

    /** The exchange is over. */
    void end() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        if (exchange.ending.hasFailed()) {
            return;
        }
        try {
            exchange.proxy.failing.fail(exchange, Fault.UPSTREAM_TIMEOUT, "grpc-timeout");
        } catch (Throwable e) {
            exchange.proxy.failing.thrown(exchange, e);
        }
    }
}
