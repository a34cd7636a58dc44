package net.oooops.sigma.http;

import java.util.concurrent.TimeUnit;

/**
 * What the head of a request says of gRPC. Marked while the fields are read, so that nobody looks for them by name afterwards: whether the
 * request is a call ({@code Content-Type: application/grpc}), and for how long its client waits ({@code grpc-timeout}).
 *
 * <p>Part of a head, and used again with it.
 */
public final class GrpcMarks {
    /** No time is said. */
    public static final long NO_TIMEOUT = -1;

    private static final byte[] TYPE = Octets.ascii("application/grpc");
    /** More is no bound. */
    private static final long TIMEOUT_NANOS_MAX = TimeUnit.DAYS.toNanos(365);
    /** Digits of a timeout, by the protocol. */
    private static final int DIGITS_MAX = 8;

    private boolean call;
    private boolean made;
    private long timeoutNanos = NO_TIMEOUT;

    GrpcMarks() {}

    void clear() {
        call = false;
        made = false;
        timeoutNanos = NO_TIMEOUT;
    }

    /** It is to be a call, whatever it came as. */
    public void make() {
        call = true;
        made = true;
    }

    /** Takes the value of {@code Content-Type}: {@code application/grpc}, {@code application/grpc+proto} and the like make a call, gRPC-Web doesn't. */
    public void type(byte[] bytes, int start, int end) {
        int after = start + TYPE.length;
        call |= after <= end
                && Octets.equalsIgnoreCase(bytes, start, after, TYPE)
                && (after == end || bytes[after] == '+' || bytes[after] == ';');
    }

    /** Takes the value of {@code grpc-timeout}. One that can't be understood says nothing. */
    public void timeout(byte[] bytes, int start, int end) {
        timeoutNanos = nanos(bytes, start, end);
    }

    /** Whether it is a call of gRPC. */
    public boolean isCall() {
        return call;
    }

    /** Whether a plugin has made it one, so that it isn't by its client's word alone. */
    public boolean isMade() {
        return made;
    }

    /** For how long its client waits, or {@link #NO_TIMEOUT}. */
    public long timeoutNanos() {
        return timeoutNanos;
    }

    private static long nanos(byte[] bytes, int start, int end) {
        int digits = end - start - 1;
        if (digits < 1 || digits > DIGITS_MAX) {
            return NO_TIMEOUT;
        }
        long value = 0;
        for (int i = start; i < end - 1; i++) {
            if (!Octets.isDigit(bytes[i])) {
                return NO_TIMEOUT;
            }
            value = value * 10 + bytes[i] - '0';
        }
        long nanos = switch (bytes[end - 1]) {
            case 'H' -> TimeUnit.HOURS.toNanos(value);
            case 'M' -> TimeUnit.MINUTES.toNanos(value);
            case 'S' -> TimeUnit.SECONDS.toNanos(value);
            case 'm' -> TimeUnit.MILLISECONDS.toNanos(value);
            case 'u' -> TimeUnit.MICROSECONDS.toNanos(value);
            case 'n' -> value;
            default -> NO_TIMEOUT;
        };
        return nanos > TIMEOUT_NANOS_MAX ? NO_TIMEOUT : nanos;
    }
}
