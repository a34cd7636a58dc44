package net.oooops.sigma.plugins.rewritepath;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A regexp that says no more than: the path begins with {@code text}, then maybe a slash, then anything.
 *
 * @param text what the path begins with; begins with a slash itself
 * @param slash what the regexp says of a slash after it
 * @param group whether group 1 is all that follows (with {@link Slash#FOLLOWS} the slash included)
 */
record LiteralPrefix(String text, Slash slash, boolean group) {
    /** What a regexp says of a slash after the text. */
    enum Slash {
        /** Nothing. */
        UNSAID,
        /** It is a part of the match where there is one. */
        TAKEN,
        /** There is one. */
        FOLLOWS
    }

    private record Ending(Slash slash, boolean group) {}

    /** What may stand after the text. A path holds no line ends, so that {@code .*} reaches its end with and without $. */
    private static final Map<String, Ending> ENDINGS = Map.of(
            "", new Ending(Slash.UNSAID, false),
            "(.*)", new Ending(Slash.UNSAID, true),
            "(.*)$", new Ending(Slash.UNSAID, true),
            "/?", new Ending(Slash.TAKEN, false),
            "/?(.*)", new Ending(Slash.TAKEN, true),
            "/?(.*)$", new Ending(Slash.TAKEN, true),
            "(/.*)", new Ending(Slash.FOLLOWS, true),
            "(/.*)$", new Ending(Slash.FOLLOWS, true));

    private static final String META = "\\.[]{}()*+?^$|";

    /** The prefix that {@code regexp} writes, or null where it says anything else: then the regexp has to be matched. */
    static @Nullable LiteralPrefix parse(String regexp) {
        if (!regexp.startsWith("^")) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        int at = 1;
        while (true) {
            Ending ending = ENDINGS.get(regexp.substring(at));
            if (ending != null) {
                return of(text.toString(), ending);
            }
            if (regexp.startsWith("\\Q", at)) {
                int end = regexp.indexOf("\\E", at);
                text.append(regexp, at + 2, end < 0 ? regexp.length() : end);
                at = end < 0 ? regexp.length() : end + 2;
            } else if (isEscape(regexp, at)) {
                text.append(regexp.charAt(at + 1));
                at += 2;
            } else if (isPlain(regexp.charAt(at))) {
                text.append(regexp.charAt(at));
                at++;
            } else {
                return null;
            }
        }
    }

    private static @Nullable LiteralPrefix of(String text, Ending ending) {
        // Two slashes in a row are in no normalised path; leave the strange cases to the regexp.
        boolean secondSlash = text.endsWith("/") && ending.slash() != Slash.UNSAID;
        return text.startsWith("/") && !secondSlash && PathForm.isWritten(text)
                ? new LiteralPrefix(text, ending.slash(), ending.group())
                : null;
    }

    /** A backslash and a character that has no meaning of its own after one. */
    private static boolean isEscape(String regexp, int at) {
        return regexp.charAt(at) == '\\'
                && at + 1 < regexp.length()
                && regexp.charAt(at + 1) <= 0x7F
                && !Character.isLetterOrDigit(regexp.charAt(at + 1));
    }

    private static boolean isPlain(char c) {
        return c > 0x20 && c < 0x7F && META.indexOf(c) < 0;
    }
}
