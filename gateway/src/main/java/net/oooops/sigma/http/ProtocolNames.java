package net.oooops.sigma.http;

import java.util.List;
import java.util.Locale;

/** Names of protocols that a connection may be switched to (RFC 9110 section 7.8), in any letter case. Immutable; any thread. */
public final class ProtocolNames {
    /** No protocol at all. */
    public static final ProtocolNames NONE = of(List.of());

    private final byte[][] lowerCase;

    private ProtocolNames(List<String> names) {
        this.lowerCase = names.stream()
                .map(name -> Octets.ascii(name.toLowerCase(Locale.ROOT)))
                .toArray(byte[][]::new);
    }

    /** These names, each a token, or two with a slash between. */
    public static ProtocolNames of(List<String> names) {
        return new ProtocolNames(names);
    }

    /** The first of the protocols in the list {@code bytes[start, end)} that is one of these: a {@link Span}. */
    long firstIn(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end) {
            int comma = at;
            while (comma < end && bytes[comma] != ',') {
                comma++;
            }
            int first = at;
            while (first < comma && isBlank(bytes[first])) {
                first++;
            }
            int last = comma;
            while (last > first && isBlank(bytes[last - 1])) {
                last--;
            }
            if (contains(bytes, first, last)) {
                return Span.of(first, last);
            }
            at = comma + 1;
        }
        return Span.NONE;
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }

    /** Whether {@code bytes[start, end)} is one of them. */
    private boolean contains(byte[] bytes, int start, int end) {
        for (byte[] name : lowerCase) {
            if (Octets.equalsIgnoreCase(bytes, start, end, name)) {
                return true;
            }
        }
        return false;
    }
}
