package net.oooops.sigma.api;

import java.util.ArrayList;
import java.util.List;

/**
 * Members of fields that are lists of tokens with parameters (RFC 9110 section 5.6.1), such as Accept-Encoding, Vary and Cache-Control. The values are
 * those of {@link Head#values}: a list may be spread over several fields. Letter case doesn't matter; empty members are none. Quoted texts aren't
 * known here: a comma within one ends its member.
 *
 * <p>Safe for use from any thread.
 */
public final class ListField {
    /** Where nothing is said. */
    public static final int UNSAID = -1;

    /** What q=1 is here. */
    public static final int WEIGHT_MAX = 1000;

    private ListField() {}

    /** Whether a member is {@code token}, whatever its parameters. Allocates nothing. */
    public static boolean has(List<String> values, String token) {
        return weight(values, token) != UNSAID;
    }

    /**
     * The weight of the member {@code token} in thousandths (RFC 9110 section 12.4.2): that of the first one that is it. {@link #UNSAID} where none
     * is; 0 where the weight can't be read, too. Allocates nothing.
     */
    public static int weight(List<String> values, String token) {
        for (int i = 0; i < values.size(); i++) {
            int weight = weight(values.get(i), token);
            if (weight != UNSAID) {
                return weight;
            }
        }
        return UNSAID;
    }

    /** The members in their order, as they are written, without their parameters. */
    public static List<String> tokens(List<String> values) {
        List<String> tokens = new ArrayList<>();
        for (String value : values) {
            for (int at = 0; at < value.length(); ) {
                int end = endOf(value, ',', at, value.length());
                String token = value.substring(at, endOf(value, ';', at, end)).strip();
                if (!token.isEmpty()) {
                    tokens.add(token);
                }
                at = end + 1;
            }
        }
        return tokens;
    }

    private static int weight(String value, String token) {
        int at = 0;
        while (at < value.length()) {
            int end = endOf(value, ',', at, value.length());
            int nameEnd = endOf(value, ';', at, end);
            if (is(value, at, nameEnd, token)) {
                return weight(value, nameEnd, end);
            }
            at = end + 1;
        }
        return UNSAID;
    }

    /** Where that stands, else the end: nothing beyond is looked at, so that a field costs what its length is. */
    private static int endOf(String value, char c, int from, int to) {
        int end = value.indexOf(c, from, to);
        return end < 0 ? to : end;
    }

    private static boolean is(String value, int from, int to, String token) {
        int start = skip(value, from, to);
        int end = to;
        while (end > start && isSpace(value.charAt(end - 1))) {
            end--;
        }
        return end - start == token.length() && value.regionMatches(true, start, token, 0, token.length());
    }

    private static int skip(String value, int from, int to) {
        int at = from;
        while (at < to && isSpace(value.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /** The weight among the parameters; the most where none is said. */
    private static int weight(String value, int from, int to) {
        int at = from;
        while (at < to) {
            int end = endOf(value, ';', at + 1, to);
            int name = skip(value, at + 1, end);
            if (value.regionMatches(true, name, "q=", 0, 2)) {
                return thousandths(value, name + 2, end);
            }
            at = end;
        }
        return WEIGHT_MAX;
    }

    private static int thousandths(String value, int from, int to) {
        int end = to;
        while (end > from && isSpace(value.charAt(end - 1))) {
            end--;
        }
        int weight = 0;
        for (int i = 0; i < 5; i++) {
            boolean there = from + i < end;
            char c = there ? value.charAt(from + i) : '0';
            if (i == 1) {
                if (there && c != '.') {
                    return 0;
                }
            } else if (c < '0' || c > '9') {
                return 0;
            } else {
                weight = weight * 10 + c - '0';
            }
        }
        boolean valid = from < end && end - from <= 5 && weight <= WEIGHT_MAX;
        return valid ? weight : 0;
    }
}
