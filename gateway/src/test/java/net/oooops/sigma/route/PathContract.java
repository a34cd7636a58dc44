package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.regex.Pattern;

/** What holds for every normalised path, whatever it was made from; for random paths and for fuzzing. */
final class PathContract {
    /** Looked for rather than its opposite matched: that would take a stack as deep as the path is long. */
    private static final Pattern OF_NO_PATH = Pattern.compile("%(?![0-9A-F]{2})|\\\\");

    private static final Pattern UNRESERVED_ENCODED =
            Pattern.compile("%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2D|2E|5F|7E)");
    private static final Pattern DOT_OR_EMPTY_SEGMENT = Pattern.compile("//|/\\.\\.?(?:/|;|\\z)|/;[^/]*/");

    private static final Pattern OVERLONG = Pattern.compile("(?:%C0|%(?:E0|F0%80|F8%80%80|FC%80%80%80)%80)%(?:80|AE|AF)"
            + "|(?:%C1|%(?:E0|F0%80|F8%80%80|FC%80%80%80)%81)%9C");

    private PathContract() {}

    /**
     * Normalises {@code raw} and checks the result.
     *
     * @return whether it has a normalised form
     */
    static boolean check(byte[] raw) {
        PathNormalizer normalizer = new PathNormalizer();
        byte[] before = raw.clone();
        int length = normalizer.normalize(raw, 0, raw.length);
        hold(Arrays.equals(raw, before), "the source is left alone", raw);
        boolean plain = PathNormalizer.isPlain(raw, 0, raw.length);
        if (length < 0) {
            hold(!PathFault.of(length).text().isEmpty() && !plain, "a plain path is not refused", raw);
            return false;
        }
        byte[] path = Arrays.copyOf(normalizer.bytes(), length);
        hold(length <= raw.length, "not longer", raw);
        hold(!plain || Arrays.equals(path, raw), "a plain path is left alone", raw);
        String text = new String(path, ISO_8859_1);
        boolean form = text.startsWith("/") && !OF_NO_PATH.matcher(text).find();
        hold(form, "absolute, no backslash, triplets complete and in upper case", raw);
        hold(!UNRESERVED_ENCODED.matcher(text).find(), "unreserved characters decoded", raw);
        hold(!DOT_OR_EMPTY_SEGMENT.matcher(text).find(), "no dot segments, no empty ones", raw);
        hold(!OVERLONG.matcher(text).find(), "no overlong form of NUL, dot, slash, backslash", raw);
        int again = new PathNormalizer().normalize(path, 0, length);
        hold(again == length, "to normalise again changes nothing", raw);
        normalizer.normalize(path, 0, length);
        hold(Arrays.equals(path, Arrays.copyOf(normalizer.bytes(), length)), "again changes nothing", raw);
        return true;
    }

    private static void hold(boolean condition, String rule, byte[] raw) {
        if (!condition) {
            throw new AssertionError(rule + ": " + new String(raw, ISO_8859_1));
        }
    }
}
