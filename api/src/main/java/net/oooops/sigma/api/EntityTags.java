package net.oooops.sigma.api;

import java.util.List;

/**
 * Entity tags, and the fields that list them: {@code If-Match} and {@code If-None-Match} (RFC 9110 sections 8.8.3, 13.1.1 and 13.1.2). The values are
 * those of {@link Head#values}: a list may be spread over several fields. A comma within a tag belongs to it. What follows something that is no tag isn't
 * read.
 *
 * <p>Safe for use from any thread; allocates nothing.
 */
public final class EntityTags {
    private static final String WEAK = "W/";

    /** How two tags are compared (section 8.8.3.2). */
    private enum Comparison {
        /** They are written alike. */
        EXACT,
        /** And neither is weak. */
        STRONG,
        /** One may be weak, or both. */
        WEAK
    }

    private EntityTags() {}

    /** Whether a tag is weak. */
    public static boolean isWeak(String tag) {
        return tag.startsWith(WEAK);
    }

    /** Whether the list has that tag, written so, weak or not. */
    public static boolean has(List<String> values, String tag) {
        return isListed(values, tag, Comparison.EXACT);
    }

    /** Whether the list has a tag that is the same by strong comparison, as {@code If-Match} wants it; {@code *} is any. */
    public static boolean matchesStrongly(List<String> values, String tag) {
        return isListed(values, tag, Comparison.STRONG);
    }

    /** Whether the list has a tag that is the same by weak comparison, as {@code If-None-Match} wants it; {@code *} is any. */
    public static boolean matchesWeakly(List<String> values, String tag) {
        return isListed(values, tag, Comparison.WEAK);
    }

    private static boolean isListed(List<String> values, String tag, Comparison by) {
        for (int i = 0; i < values.size(); i++) {
            if (isListed(values.get(i), tag, by)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isListed(String list, String tag, Comparison by) {
        int at = begin(list, 0);
        while (at < list.length()) {
            if (list.charAt(at) == '*') {
                return by != Comparison.EXACT;
            }
            int open = opaque(list, at);
            int close = open < list.length() && list.charAt(open) == '"' ? list.indexOf('"', open + 1) : -1;
            if (close < 0) {
                return false;
            }
            if (isSame(list, at, close + 1, tag, by)) {
                return true;
            }
            at = begin(list, close + 1);
        }
        return false;
    }

    /** Where the next tag begins. */
    private static int begin(String list, int from) {
        int at = from;
        while (at < list.length() && (list.charAt(at) == ' ' || list.charAt(at) == '\t' || list.charAt(at) == ',')) {
            at++;
        }
        return at;
    }

    /** Where the opaque part of a tag begins. */
    private static int opaque(String text, int at) {
        return text.startsWith(WEAK, at) ? at + WEAK.length() : at;
    }

    private static boolean isSame(String list, int from, int to, String tag, Comparison by) {
        int start = by == Comparison.WEAK ? opaque(list, from) : from;
        int tagStart = by == Comparison.WEAK ? opaque(tag, 0) : 0;
        boolean same = to - start == tag.length() - tagStart && list.regionMatches(start, tag, tagStart, to - start);
        return same && (by != Comparison.STRONG || !isWeak(tag));
    }
}
