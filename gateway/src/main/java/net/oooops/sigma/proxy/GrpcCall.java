package net.oooops.sigma.proxy;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Span;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * An exchange that is a call of gRPC: within which time its client wants it answered ({@code grpc-timeout}), which bounds all of it and is less
 * for each further node that is asked. Errors of Sigma's own are statuses of gRPC for it, since its client looks at nothing else.
 *
 * <p>One for each call. Belongs to one Worker.
 */
final class GrpcCall extends Timed {
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final FieldName TIMEOUT = FieldName.of("grpc-timeout");
    private static final byte[] GRPC = Octets.ascii("application/grpc");
    /** More is no bound. */
    private static final long BOUND_NANOS_MAX = TimeUnit.DAYS.toNanos(365);
    /** Digits of a timeout, by the protocol. */
    private static final int DIGITS_MAX = 8;

    private final HttpExchange exchange;
    private final DeadlineWheel wheel;
    private final long endsNanos;

    private GrpcCall(HttpExchange exchange, DeadlineWheel wheel, long endsNanos) {
        this.exchange = exchange;
        this.wheel = wheel;
        this.endsNanos = endsNanos;
    }

    /** The call that a request is, or null. Only HTTP/2 carries any. */
    static @Nullable GrpcCall of(HttpExchange x, DeadlineWheel wheel) {
        HttpRequestHead head = x.request.head;
        if (!head.isHttp2() || !isGrpc(head)) {
            return null;
        }
        long timeoutNanos = timeoutNanos(head);
        GrpcCall call = new GrpcCall(x, wheel, timeoutNanos < 0 ? Long.MAX_VALUE : x.startNanos + timeoutNanos);
        if (timeoutNanos >= 0) {
            wheel.arm(call, timeoutNanos);
        }
        return call;
    }

    /** {@code application/grpc}, {@code application/grpc+proto} and the like, but not gRPC-Web. */
    private static boolean isGrpc(HttpRequestHead head) {
        long type = head.receivedValue(CONTENT_TYPE);
        if (type == Span.NONE) {
            return false;
        }
        byte[] bytes = head.received();
        int after = Span.start(type) + GRPC.length;
        int end = Span.end(type);
        return after <= end
                && Octets.equalsIgnoreCase(bytes, Span.start(type), after, GRPC)
                && (after == end || bytes[after] == '+' || bytes[after] == ';');
    }

    /** -1 where none is said, or none that can be understood. */
    private static long timeoutNanos(HttpRequestHead head) {
        long span = head.receivedValue(TIMEOUT);
        int digits = span == Span.NONE ? 0 : Span.end(span) - Span.start(span) - 1;
        if (digits < 1 || digits > DIGITS_MAX) {
            return -1;
        }
        byte[] bytes = head.received();
        long value = 0;
        for (int i = Span.start(span); i < Span.end(span) - 1; i++) {
            if (!Octets.isDigit(bytes[i])) {
                return -1;
            }
            value = value * 10 + bytes[i] - '0';
        }
        long nanos = switch (bytes[Span.end(span) - 1]) {
            case 'H' -> TimeUnit.HOURS.toNanos(value);
            case 'M' -> TimeUnit.MINUTES.toNanos(value);
            case 'S' -> TimeUnit.SECONDS.toNanos(value);
            case 'm' -> TimeUnit.MILLISECONDS.toNanos(value);
            case 'u' -> TimeUnit.MICROSECONDS.toNanos(value);
            case 'n' -> value;
            default -> -1;
        };
        return nanos > BOUND_NANOS_MAX ? -1 : nanos;
    }

    /** The request is about to be sent: says how much time is left, in milliseconds. */
    void write(HttpRequestHead head, long nowNanos) {
        if (endsNanos < Long.MAX_VALUE) {
            long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(endsNanos - nowNanos));
            boolean fits = millis < 100_000_000;
            head.set(Field.of("grpc-timeout", fits ? millis + "m" : TimeUnit.MILLISECONDS.toSeconds(millis) + "S"));
        }
    }

    /** The exchange is over. */
    void end() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        exchange.proxy.fail(exchange, Fault.UPSTREAM_TIMEOUT, "grpc-timeout");
    }

    /** The status of gRPC for one of HTTP that Sigma itself would answer with. */
    static int statusOf(int httpStatus) {
        return switch (httpStatus) {
            case 401 -> 16;
            case 403 -> 7;
            case 404, 405, 415, 501, 505 -> 12;
            case 408, 504 -> 4;
            case 413, 414, 429, 431 -> 8;
            case 502, 503 -> 14;
            default -> httpStatus < 500 ? 13 : 2;
        };
    }
}
