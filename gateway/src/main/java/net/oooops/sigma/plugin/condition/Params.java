package net.oooops.sigma.plugin.condition;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, asked for by their names. Both are decoded as a form's are (WHATWG URL, section 5): an encoded name is no way round a
 * condition. Of several with one name, it is the first.
 */
record Params(String query) {
    /** Its value, empty where it has none; null where there is no such parameter. */
    @Nullable String find(String name) {
        int from = 0;
        while (from <= query.length()) {
            int ampersand = query.indexOf('&', from);
            int end = ampersand < 0 ? query.length() : ampersand;
            int equals = query.indexOf('=', from, end);
            int nameEnd = equals < 0 ? end : equals;
            if (nameEnd > from && isNamed(name, from, nameEnd)) {
                return decoded(Math.min(nameEnd + 1, end), end);
            }
            from = end + 1;
        }
        return null;
    }

    private boolean isNamed(String name, int from, int to) {
        return isEncoded(from, to)
                ? decoded(from, to).equals(name)
                : to - from == name.length() && query.startsWith(name, from);
    }

    private boolean isEncoded(int from, int to) {
        for (int i = from; i < to; i++) {
            char c = query.charAt(i);
            if (c == '%' || c == '+') {
                return true;
            }
        }
        return false;
    }

    private String decoded(int from, int to) {
        if (!isEncoded(from, to)) {
            return query.substring(from, to);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            char c = query.charAt(i);
            int high = c == '%' && i + 2 < to ? Character.digit(query.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(query.charAt(i + 2), 16);
            if (low >= 0) {
                bytes.write((high << 4) | low);
                i += 2;
            } else {
                bytes.write(c == '+' ? ' ' : c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
