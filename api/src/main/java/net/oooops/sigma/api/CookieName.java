package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The name of a cookie, by which it is found in Cookie fields of requests (RFC 6265 section 4.2.1): pairs with semicolons between them, the name up to
 * the first {@code =}. Space and tab around a pair, its name and its value are no part of them, so that nobody hides a cookie from this reader by
 * writing what a laxer one passes over. Names are compared octet by octet, letter case included.
 *
 * <p>Safe for use from any thread.
 */
public final class CookieName {
    /** The field that cookies stand in. */
    public static final FieldName FIELD = FieldName.of("Cookie");

    private final String text;
    private final byte[] octets;

    private CookieName(String text) {
        this.text = text;
        this.octets = text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The cookie called {@code text}.
     *
     * @throws IllegalArgumentException where {@code text} is not a token (RFC 9110 section 5.6.2)
     */
    public static CookieName of(String text) {
        if (!FieldName.isToken(text)) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a cookie's name, RFC 6265 section 4.1.1)");
        }
        return new CookieName(text);
    }

    /**
     * Where the value of the first cookie of that name begins in {@code source[from, end)}, which begins with a pair, or with what is left of one. Allocates
     * nothing.
     *
     * @return -1 where there is none
     */
    public int find(byte[] source, int from, int end) {
        int at = from;
        while (at < end) {
            int pairEnd = pairEnd(source, at, end);
            int value = valueStart(source, at, pairEnd);
            if (value >= 0) {
                return value;
            }
            at = pairEnd + 1;
        }
        return -1;
    }

    /** Where the value that {@link #find} found ends. Allocates nothing. */
    public static int valueEnd(byte[] source, int value, int end) {
        return trimSpace(source, value, pairEnd(source, value, end));
    }

    /** Where the pair ends that begins at {@code from}: before the next semicolon, or at {@code end}. Allocates nothing. */
    public static int pairEnd(byte[] source, int from, int end) {
        int at = from;
        while (at < end && source[at] != ';') {
            at++;
        }
        return at;
    }

    /** The first position from {@code from} on that is neither space nor tab. Allocates nothing. */
    public static int skipSpace(byte[] source, int from, int end) {
        int at = from;
        while (at < end && isSpace(source[at])) {
            at++;
        }
        return at;
    }

    /** Where {@code source[from, end)} ends without space and tab. Allocates nothing. */
    public static int trimSpace(byte[] source, int from, int end) {
        int at = end;
        while (at > from && isSpace(source[at - 1])) {
            at--;
        }
        return at;
    }

    /** Where the value of {@code source[from, end)} begins, one pair, if that is of this name; else -1. Allocates nothing. */
    public int valueStart(byte[] source, int from, int end) {
        int start = skipSpace(source, from, end);
        if (end - start <= octets.length) {
            return -1;
        }
        for (int i = 0; i < octets.length; i++) {
            if (source[start + i] != octets[i]) {
                return -1;
            }
        }
        int equals = skipSpace(source, start + octets.length, end);
        return equals < end && source[equals] == '=' ? skipSpace(source, equals + 1, end) : -1;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\t';
    }

    /** The values of all cookies of that name in the Cookie fields of a head, in their order, as they are written. */
    public List<String> values(Head head) {
        if (!head.has(FIELD)) {
            return List.of();
        }
        List<String> values = new ArrayList<>();
        for (String field : head.values(FIELD)) {
            byte[] source = field.getBytes(StandardCharsets.ISO_8859_1);
            addTo(values, source, 0, source.length);
        }
        return values;
    }

    /** Adds the values of all cookies of that name in {@code source[from, end)}, pairs of one field. Makes texts of these alone. */
    public void addTo(List<String> values, byte[] source, int from, int end) {
        int value = find(source, from, end);
        while (value >= 0) {
            int valueEnd = valueEnd(source, value, end);
            values.add(new String(source, value, valueEnd - value, StandardCharsets.ISO_8859_1));
            value = find(source, pairEnd(source, valueEnd, end) + 1, end);
        }
    }

    /** What is left of a field's pairs without those of that name, with {@code "; "} between them; empty where nothing is. */
    public String without(String pairs) {
        byte[] source = pairs.getBytes(StandardCharsets.ISO_8859_1);
        StringBuilder left = new StringBuilder(pairs.length());
        int at = 0;
        while (at < source.length) {
            int pairEnd = pairEnd(source, at, source.length);
            int from = skipSpace(source, at, pairEnd);
            int until = trimSpace(source, from, pairEnd);
            if (until > from && valueStart(source, from, until) < 0) {
                left.append(left.isEmpty() ? "" : "; ").append(pairs, from, until);
            }
            at = pairEnd + 1;
        }
        return left.toString();
    }

    /**
     * What a value says: without the quotes that it may stand in (RFC 6265 section 4.1.1).
     *
     * @return null where it holds anything but the octets that a value may, such as space, comma, backslash or those beyond US-ASCII
     */
    public static @Nullable String content(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        int end = quoted ? value.length() - 1 : value.length();
        for (int i = quoted ? 1 : 0; i < end; i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c >= 0x7F || c == '"' || c == ',' || c == ';' || c == '\\') {
                return null;
            }
        }
        return quoted ? value.substring(1, end) : value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CookieName that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The name as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
