package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.regex.Pattern;

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
 *
 * @param text as written
 * @param segments what stands between the slashes, without the final {@code *}; {@code /a/} has the segments {@code a} and empty
 * @param isPrefix whether it ends with {@code /*}, or is {@code *}
 */
public record RoutePath(String text, List<String> segments, boolean isPrefix) {
    /** Every path and the asterisk form. */
    public static final String EVERYTHING = "*";

    /** What may stand in no path. */
    private static final String UNSAFE = "\"<>`{}?#;";

    /** The same, with what may stand for something else. */
    private static final String ENCODED = UNSAFE + "%\\";

    private static final Pattern PARAMETER = Pattern.compile(":[A-Za-z0-9_-]+");

    public RoutePath {
        segments = List.copyOf(segments);
    }

    /**
     * Reads a route's path.
     *
     * @throws IllegalArgumentException where it is not one; the message says what was expected
     */
    public static RoutePath of(String text) {
        if (text.equals(EVERYTHING)) {
            return new RoutePath(text, List.of(), true);
        }
        String normalised = normalised(text);
        if (!normalised.equals(text)) {
            throw notA(text, "normalised: " + normalised);
        }
        boolean isPrefix = text.endsWith("/*");
        String exact = isPrefix ? text.substring(0, text.length() - 2) : text;
        List<String> segments =
                exact.isEmpty() ? List.of() : List.of(exact.substring(1).split("/", -1));
        for (String segment : segments) {
            check(segment, text);
        }
        return new RoutePath(text, segments, isPrefix);
    }

    /** Whether it is every path. */
    boolean isEverything() {
        return isPrefix && segments.isEmpty();
    }

    /** Whether a segment of a route's path stands for any segment. */
    static boolean isParameter(String segment) {
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
            boolean dotted = before == '/' && (c == '/' || c == '.');
            if (dotted || c <= ' ' || c >= 0x7F || ENCODED.indexOf(c) >= 0) {
                return false;
            }
            before = c;
        }
        return text.startsWith("/");
    }

    private static void check(String segment, String text) {
        if (isParameter(segment) && !PARAMETER.matcher(segment).matches()) {
            throw notA(text, "a name of letters, digits, _ and - after the colon of a parameter");
        }
        if (segment.indexOf('*') >= 0) {
            throw notA(text, "* only as the last segment");
        }
    }

    private static IllegalArgumentException notA(String text, String expected) {
        return new IllegalArgumentException("path: " + text + " (expected: " + expected + ")");
    }
}
