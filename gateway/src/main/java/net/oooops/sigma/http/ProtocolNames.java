package net.oooops.sigma.http;

import java.util.List;
import java.util.Locale;

/** Names of protocols that a connection may be switched to (RFC 9110 section 7.8), in any letter case. Immutable; any thread. */
public final class ProtocolNames {
    /** No protocol at all. */
    public static final ProtocolNames NONE = of(List.of());

    private final List<String> names;
    private final byte[][] lowerCase;

    private ProtocolNames(List<String> names) {
        this.names = List.copyOf(names);
        this.lowerCase = names.stream()
                .map(name -> Octets.ascii(name.toLowerCase(Locale.ROOT)))
                .toArray(byte[][]::new);
    }

    /** These names, each a token, or two with a slash between. */
    public static ProtocolNames of(List<String> names) {
        return new ProtocolNames(names);
    }

    /** As they were written. */
    public List<String> names() {
        return names;
    }

    /** Whether {@code bytes[start, end)} is one of them. */
    boolean contains(byte[] bytes, int start, int end) {
        for (byte[] name : lowerCase) {
            if (Octets.equalsIgnoreCase(bytes, start, end, name)) {
                return true;
            }
        }
        return false;
    }
}
