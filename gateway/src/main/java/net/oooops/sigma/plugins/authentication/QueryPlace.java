package net.oooops.sigma.plugins.authentication;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** A parameter of the query, {@code name=value} between ampersands, both percent-encoded or not. */
record QueryPlace(String name) implements CredentialPlace {
    @Override
    public @Nullable String read(RequestHead head) {
        String query = head.query();
        if (query == null) {
            return null;
        }
        String found = null;
        for (int from = 0; from <= query.length(); ) {
            int to = end(query, from);
            if (isNamed(query, from, to)) {
                if (found != null) {
                    return UNREADABLE;
                }
                found = valueOf(query, from, to);
            }
            from = to + 1;
        }
        return found;
    }

    @Override
    public void hide(RequestHead head) {
        String query = head.query();
        if (query == null) {
            return;
        }
        StringBuilder left = new StringBuilder(query.length());
        for (int from = 0; from <= query.length(); ) {
            int to = end(query, from);
            if (!isNamed(query, from, to)) {
                left.append(query, from, to).append('&');
            }
            from = to + 1;
        }
        left.setLength(Math.max(0, left.length() - 1));
        head.query(left.isEmpty() ? null : left.toString());
    }

    private static int end(String query, int from) {
        int to = query.indexOf('&', from);
        return to < 0 ? query.length() : to;
    }

    private boolean isNamed(String query, int from, int to) {
        int equals = query.indexOf('=', from, to);
        int nameTo = equals < 0 ? to : equals;
        if (nameTo - from == name.length() && query.startsWith(name, from)) {
            return true;
        }
        return query.indexOf('%', from, nameTo) >= 0 && name.equals(decoded(query, from, nameTo));
    }

    private static String valueOf(String query, int from, int to) {
        int equals = query.indexOf('=', from, to);
        String value = equals < 0 ? null : decoded(query, equals + 1, to);
        return value == null ? UNREADABLE : value;
    }

    /** Without its percent-encoding, bytes as ISO 8859-1; null where that is none. */
    private static @Nullable String decoded(String query, int from, int to) {
        if (query.indexOf('%', from, to) < 0) {
            return query.substring(from, to);
        }
        byte[] bytes = new byte[to - from];
        int count = 0;
        for (int i = from; i < to; i++) {
            char c = query.charAt(i);
            if (c == '%') {
                int high = i + 2 < to ? Character.digit(query.charAt(i + 1), 16) : -1;
                int low = i + 2 < to ? Character.digit(query.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    return null;
                }
                bytes[count++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                bytes[count++] = (byte) c;
            }
        }
        return new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
    }
}
