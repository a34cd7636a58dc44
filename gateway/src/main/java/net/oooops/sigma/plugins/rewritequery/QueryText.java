package net.oooops.sigma.plugins.rewritequery;

import java.nio.charset.StandardCharsets;

/** Names and values of parameters as queries have them (WHATWG URL, application/x-www-form-urlencoded). Pure functions. */
final class QueryText {
    private static final String UNRESERVED = "-._~";
    private static final String HEX = "0123456789ABCDEF";

    private QueryText() {}

    /** What is written there, decoded: each character stands for a byte. What isn't percent-encoded rightly stands for itself. */
    static String decoded(String query, int from, int end) {
        if (isPlain(query, from, end)) {
            return query.substring(from, end);
        }
        StringBuilder bytes = new StringBuilder(end - from);
        for (int i = from; i < end; i++) {
            char c = query.charAt(i);
            int high = c == '%' ? hex(query, i + 1, end) : -1;
            int low = high < 0 ? -1 : hex(query, i + 2, end);
            if (low >= 0) {
                bytes.append((char) (high << 4 | low));
                i += 2;
            } else {
                bytes.append(c == '+' ? ' ' : c);
            }
        }
        return bytes.toString();
    }

    private static boolean isPlain(String query, int from, int end) {
        for (int i = from; i < end; i++) {
            if (query.charAt(i) == '%' || query.charAt(i) == '+') {
                return false;
            }
        }
        return true;
    }

    private static int hex(String query, int at, int end) {
        return at < end && query.charAt(at) <= 0x7F ? Character.digit(query.charAt(at), 16) : -1;
    }

    /** A text of sigma.json in the form of {@link #decoded}. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** A text of sigma.json percent-encoded: whatever separates anything is, and so is a space. */
    static String encoded(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (alphanumeric || UNRESERVED.indexOf(c) >= 0) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
            }
        }
        return encoded.toString();
    }
}
