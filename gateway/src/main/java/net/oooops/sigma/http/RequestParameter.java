package net.oooops.sigma.http;

import java.nio.charset.StandardCharsets;

/**
 * One parameter in the queries of requests, {@code name=value&name=value}, decoded as forms are: percent-encoded UTF-8, {@code +} for
 * a space; a percent sign without two digits stands for itself. The value is found where it stands, and decoded octet by octet:
 *
 * <pre>
 *   for (int at = start; at &lt; end; at += RequestParameter.width(bytes, at, end)) {
 *       … RequestParameter.octet(bytes, at, end) …
 *   }
 * </pre>
 *
 * <p>Immutable, any thread, allocates nothing.
 */
public final class RequestParameter {
    private static final int ESCAPE_BYTES = 3;

    private final byte[] name;

    /** @param name decoded */
    public RequestParameter(String name) {
        this.name = name.getBytes(StandardCharsets.UTF_8);
    }

    /** Where the value of the first parameter of this name stands in {@link #bytes}: a {@link Span}. */
    public long find(HttpRequestHead head) {
        if (!head.target().hasQuery()) {
            return Span.NONE;
        }
        byte[] bytes = head.target().queryBytes();
        int at = head.target().queryStart();
        while (at < head.target().queryEnd()) {
            int end = until((byte) '&', bytes, at, head.target().queryEnd());
            int equals = until((byte) '=', bytes, at, end);
            if (isNamed(bytes, at, equals)) {
                return Span.of(Math.min(equals + 1, end), end);
            }
            at = end + 1;
        }
        return Span.NONE;
    }

    /** The array in which the query stands. */
    public static byte[] bytes(HttpRequestHead head) {
        return head.target().queryBytes();
    }

    /** The octet that is encoded there. */
    public static int octet(byte[] bytes, int at, int end) {
        if (width(bytes, at, end) == ESCAPE_BYTES) {
            return Octets.hexValue(bytes[at + 1]) << 4 | Octets.hexValue(bytes[at + 2]);
        }
        return bytes[at] == '+' ? ' ' : bytes[at] & 0xFF;
    }

    /** How many bytes it is encoded in. */
    public static int width(byte[] bytes, int at, int end) {
        boolean escape = bytes[at] == '%'
                && end - at >= ESCAPE_BYTES
                && Octets.isHex(bytes[at + 1])
                && Octets.isHex(bytes[at + 2]);
        return escape ? ESCAPE_BYTES : 1;
    }

    private boolean isNamed(byte[] bytes, int start, int end) {
        int at = start;
        for (byte expected : name) {
            if (at >= end || (byte) octet(bytes, at, end) != expected) {
                return false;
            }
            at += width(bytes, at, end);
        }
        return at == end;
    }

    private static int until(byte b, byte[] bytes, int start, int end) {
        int at = start;
        while (at < end && bytes[at] != b) {
            at++;
        }
        return at;
    }
}
