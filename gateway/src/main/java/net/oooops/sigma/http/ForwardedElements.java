package net.oooops.sigma.http;

import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The elements of one line of Forwarded (RFC 7239 section 4), one after the other: {@code for=192.0.2.1;proto=https, for="[2001:db8::1]:80"}.
 * Commas and semicolons within quotes are part of a value.
 *
 * <p>More is read than the RFC has where nobody can read it in two ways: blanks around semicolons, empty values, and values without quotes
 * that are no tokens, such as {@code for=192.0.2.1:80}. The line is malformed where quotes aren't closed, where anything stands beside a value,
 * and where an element says {@code for} or {@code proto} twice.
 */
public final class ForwardedElements {
    private static final byte[] FOR = Octets.ascii("for");
    private static final byte[] PROTO = Octets.ascii("proto");
    private static final byte[] HTTPS = Octets.ascii("https");

    private final byte[] bytes;
    private final int end;
    private int at;
    private boolean isOver;
    private boolean malformed;

    private boolean nodeSaid;
    private @Nullable IpAddress node;
    private boolean protoNamed;
    private boolean schemeSaid;
    private boolean https;

    /** Of the line whose value is {@code bytes[start, end)}. */
    public ForwardedElements(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    /** Whether every line of Forwarded that was received is well-formed. */
    public static boolean areWellFormed(FieldSection section) {
        int field = FieldValues.next(section, KnownField.FORWARDED, -1);
        for (; field >= 0; field = FieldValues.next(section, KnownField.FORWARDED, field)) {
            ForwardedElements line =
                    new ForwardedElements(section.bytes, section.valueStart(field), section.valueEnd(field));
            while (line.next()) {
                // All of it is read.
            }
            if (line.isMalformed()) {
                return false;
            }
        }
        return true;
    }

    /** Reads the next element, which may be empty. False at the end of the line, and where it is malformed. */
    public boolean next() {
        nodeSaid = false;
        node = null;
        protoNamed = false;
        schemeSaid = false;
        https = false;
        boolean more = !isOver && !malformed;
        boolean ended = false;
        while (more && !ended) {
            ended = readPair();
        }
        return more && !malformed;
    }

    /** Whether the line broke the rules where reading ended. */
    public boolean isMalformed() {
        return malformed;
    }

    /** The address in {@code for}; null where there is none: it is left out, {@code unknown}, a name of one's own, or nothing at all. */
    public @Nullable IpAddress node() {
        return node;
    }

    /** Whether there is a {@code proto} with anything in it. */
    public boolean saysScheme() {
        return schemeSaid;
    }

    /** Whether {@code proto} is https. */
    public boolean isHttps() {
        return https;
    }

    /** Reads a pair, if there is one, and what stands behind it. Whether the element ends there. */
    private boolean readPair() {
        skipBlanks();
        if (at < end && Octets.isToken(bytes[at])) {
            malformed = !takePair();
            skipBlanks();
        }
        if (malformed || at == end) {
            isOver = true;
            return true;
        }
        byte separator = bytes[at++];
        malformed = separator != ',' && separator != ';';
        return malformed || separator == ',';
    }

    private boolean takePair() {
        int nameStart = at;
        while (at < end && Octets.isToken(bytes[at])) {
            at++;
        }
        int nameEnd = at;
        if (at == end || bytes[at++] != '=') {
            return false;
        }
        if (at == end || bytes[at] != '"') {
            int start = at;
            while (at < end && isUnquoted(bytes[at])) {
                at++;
            }
            return take(nameStart, nameEnd, bytes, start, at);
        }
        int start = ++at;
        int escapes = 0;
        while (at < end && bytes[at] != '"') {
            boolean escape = bytes[at] == '\\';
            escapes += escape ? 1 : 0;
            at += escape ? 2 : 1;
        }
        if (at >= end) {
            return false;
        }
        int close = at++;
        if (escapes == 0) {
            return take(nameStart, nameEnd, bytes, start, close);
        }
        byte[] meant = new byte[close - start - escapes];
        int from = start;
        for (int to = 0; to < meant.length; to++) {
            from += bytes[from] == '\\' ? 1 : 0;
            meant[to] = bytes[from++];
        }
        return take(nameStart, nameEnd, meant, 0, meant.length);
    }

    /** What can't be taken for the end of a value, nor for quotes. */
    private static boolean isUnquoted(byte b) {
        return b > ' ' && b != 0x7F && b != ',' && b != ';' && b != '"' && b != '\\';
    }

    private boolean take(int nameStart, int nameEnd, byte[] value, int from, int to) {
        if (Octets.equalsIgnoreCase(bytes, nameStart, nameEnd, FOR)) {
            boolean again = nodeSaid;
            nodeSaid = true;
            node = node(value, from, to);
            return !again;
        }
        if (Octets.equalsIgnoreCase(bytes, nameStart, nameEnd, PROTO)) {
            boolean again = protoNamed;
            protoNamed = true;
            schemeSaid = from < to;
            https = Octets.equalsIgnoreCase(value, from, to, HTTPS);
            return !again;
        }
        return true;
    }

    private void skipBlanks() {
        while (at < end && (bytes[at] == Octets.SP || bytes[at] == Octets.HT)) {
            at++;
        }
    }

    /**
     * The address in {@code value[from, to)}, as forwarding fields have it (RFC 7239 section 6): one of IPv6 may stand in brackets; behind those, and
     * behind one of IPv4, there may be a port. Null for anything else.
     */
    public static @Nullable IpAddress node(byte[] value, int from, int to) {
        boolean bracketed = from < to && value[from] == '[';
        int stop = indexOf(bracketed ? (byte) ']' : (byte) ':', value, from, to);
        if (bracketed) {
            boolean fits = stop < to && IpAddress.isV6(value, from + 1, stop) && isPort(value, stop + 1, to);
            return fits ? IpAddress.parse(value, from + 1, stop) : null;
        }
        boolean v4 = IpAddress.isV4(value, from, stop);
        if (v4) {
            return isPort(value, stop, to) ? IpAddress.parse(value, from, stop) : null;
        }
        return IpAddress.parse(value, from, to);
    }

    private static int indexOf(byte wanted, byte[] value, int from, int to) {
        int at = from;
        while (at < to && value[at] != wanted) {
            at++;
        }
        return at;
    }

    /** Whether there is nothing, or a colon and a port: a number, or what one who hides it has made up ({@code _x}). */
    private static boolean isPort(byte[] value, int from, int to) {
        if (from == to) {
            return true;
        }
        int first = from + 1;
        boolean hidden = first < to && value[first] == '_';
        boolean fits = value[from] == ':' && first < to && (hidden || to - first <= 5);
        for (int at = first; fits && at < to; at++) {
            fits = hidden ? Octets.isToken(value[at]) : Octets.isDigit(value[at]);
        }
        return fits;
    }
}
