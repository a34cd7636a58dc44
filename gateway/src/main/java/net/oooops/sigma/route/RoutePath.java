package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * The path of a route, as written in sigma.json.
 *
 * <ul>
 *   <li>{@code /a/b}: this path. {@code /a/b/} is another.
 *   <li>{@code /a/*}: {@code /a} and everything below it, {@code /a/} too.
 *   <li>{@code /a/:id/c}: any one segment that is not empty in place of {@code :id}. May be followed by {@code /*}.
 *   <li>{@code *} and {@code /*}: every path, and the target {@code *} of OPTIONS.
 * </ul>
 *
 * <p>Written as it is matched, normalised: unreserved characters plain, all others percent-encoded with upper-case digits. Immutable.
 */
public final class RoutePath {
    /** Every path and the asterisk form. */
    public static final String EVERYTHING = "*";

    /** What may stand in no path. */
    private static final String UNSAFE = "\"<>`{}?#;";

    /** The same, with what may stand for something else. */
    private static final String ENCODED = UNSAFE + "%\\";

    private static final String PREFIX_END = "/*";

    private final String text;
    private final boolean isPrefix;

    private RoutePath(String text, boolean isPrefix) {
        this.text = text;
        this.isPrefix = isPrefix;
    }

    /**
     * Reads a route's path.
     *
     * @throws IllegalArgumentException where it is not one; the message says what was expected
     */
    public static RoutePath of(String text) {
        if (text.equals(EVERYTHING)) {
            return new RoutePath(text, true);
        }
        String normalised = normalised(text);
        if (!normalised.equals(text)) {
            throw notA(text, "normalised: " + normalised);
        }
        RoutePath path = new RoutePath(text, text.endsWith(PREFIX_END));
        if (text.indexOf('*') >= 0 && text.indexOf('*') < path.exactEnd()) {
            throw notA(text, "* only as the last segment");
        }
        if (text.contains("/:")) {
            path.segments().forEach(segment -> check(segment, text));
        }
        return path;
    }

    /** As written. */
    public String text() {
        return text;
    }

    /** Whether it ends with {@code /*}, or is {@code *}. */
    public boolean isPrefix() {
        return isPrefix;
    }

    /** What stands between the slashes, without the final {@code *}; {@code /a/} has the segments {@code a} and empty. */
    public List<String> segments() {
        int end = exactEnd();
        return end == 0 ? List.of() : List.of(text.substring(1, end).split("/", -1));
    }

    /** Where what is the same in all paths that match ends in the text; 0 where it is every path. */
    int exactEnd() {
        return isPrefix ? Math.max(0, text.length() - PREFIX_END.length()) : text.length();
    }

    /** Whether it is every path. */
    boolean isEverything() {
        return exactEnd() == 0;
    }

    /** Whether a segment of a route's path stands for any segment. */
    private static boolean isParameter(String segment) {
        return segment.startsWith(":");
    }

    private static String normalised(String text) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(UTF_8)) {
            if (b > ' ' && b < 0x7F && UNSAFE.indexOf(b) < 0) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(String.format("%02X", b));
            }
        }
        byte[] raw = encoded.toString().getBytes(US_ASCII);
        PathNormalizer normalizer = new PathNormalizer();
        int length = normalizer.normalize(raw, 0, raw.length);
        if (length < 0) {
            throw notA(text, "a path: " + PathFault.of(length).text());
        }
        return new String(normalizer.bytes(), 0, length, US_ASCII);
    }

    /** Whether it is normalised and free of everything that needs a closer look, as nearly all are. */
    private static boolean isPlain(String text) {
        char before = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z';
            boolean dotted = before == '/' && (c == '/' || c == '.');
            if (!letter && (dotted || c <= ' ' || c >= 0x7F || ENCODED.indexOf(c) >= 0)) {
                return false;
            }
            before = c;
        }
        return text.startsWith("/");
    }

    private static void check(String segment, String text) {
        if (!isParameter(segment)) {
            return;
        }
        boolean isName = segment.length() > 1;
        for (int i = 1; i < segment.length(); i++) {
            char c = segment.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            isName &= letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
        }
        if (!isName) {
            throw notA(text, "a name of letters, digits, _ and - after the colon of a parameter");
        }
    }

    private static IllegalArgumentException notA(String text, String expected) {
        return new IllegalArgumentException("path: " + text + " (expected: " + expected + ")");
    }
}
