package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The parameters in a query, {@code name=value&name=value}, decoded as forms are: percent-encoded UTF-8, {@code +} for a space. A
 * percent sign without two digits stands for itself. Pure functions, any thread.
 */
final class QueryParameters {
    private QueryParameters() {}

    /** Whether the condition holds for the parameter that it names; where there are several of that name, for any of them. */
    static boolean hold(@Nullable String query, ValueTest test) {
        boolean seen = false;
        int from = 0;
        while (query != null && from <= query.length()) {
            int end = until('&', query, from, query.length());
            int equals = until('=', query, from, end);
            if (end > from && decode(query.substring(from, equals)).equals(test.name())) {
                seen = true;
                if (test.holds(decode(query.substring(Math.min(equals + 1, end), end)))) {
                    return true;
                }
            }
            from = end + 1;
        }
        return !seen && test.holds(null);
    }

    private static int until(char c, String text, int from, int end) {
        int at = text.indexOf(c, from, end);
        return at < 0 ? end : at;
    }

    private static String decode(String text) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
            return text;
        }
        byte[] raw = text.getBytes(UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(raw.length);
        for (int i = 0; i < raw.length; i++) {
            int octet = PercentDecoder.octet(raw, i, raw.length);
            if (octet >= 0) {
                decoded.write(octet);
                i += 2;
            } else {
                decoded.write(raw[i] == '+' ? ' ' : raw[i]);
            }
        }
        return decoded.toString(UTF_8);
    }
}
