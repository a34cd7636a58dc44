package net.oooops.sigma.route;

import java.util.Locale;
import net.oooops.sigma.api.FieldName;

/**
 * A media type or range (RFC 9110 sections 8.3.1 and 12.5.1), without its parameters.
 *
 * @param type lower case, {@code *} for any
 * @param subtype lower case, {@code *} for any
 */
record MediaRange(String type, String subtype) {
    static final String ANY = "*";
    static final MediaRange OCTET_STREAM = new MediaRange("application", "octet-stream");

    /** What is no media type: in no range but the one of all. */
    static final MediaRange MALFORMED = new MediaRange("", "");

    /**
     * A range of the configuration.
     *
     * @throws IllegalArgumentException where it is none
     */
    static MediaRange of(String text) {
        MediaRange range = read(text);
        if (range.equals(MALFORMED)) {
            throw new IllegalArgumentException(
                    "media type: " + text + " (expected: TYPE/SUBTYPE, TYPE/* or */*, such as application/json)");
        }
        return range;
    }

    /** A type or range of a request, {@link #MALFORMED} where it is none. */
    static MediaRange read(String text) {
        int semicolon = text.indexOf(';');
        String range =
                (semicolon < 0 ? text : text.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
        int slash = range.indexOf('/');
        if (slash < 0) {
            // Java's own HttpURLConnection says "*" for all.
            return range.equals(ANY) ? new MediaRange(ANY, ANY) : MALFORMED;
        }
        String type = range.substring(0, slash);
        String subtype = range.substring(slash + 1);
        boolean typeFits = isTokenOrAny(type) && isTokenOrAny(subtype);
        return typeFits && (!type.equals(ANY) || subtype.equals(ANY)) ? new MediaRange(type, subtype) : MALFORMED;
    }

    private static boolean isTokenOrAny(String text) {
        return text.equals(ANY) || (text.indexOf('*') < 0 && FieldName.isToken(text));
    }

    boolean includes(MediaRange other) {
        return (type.equals(ANY) || type.equals(other.type)) && (subtype.equals(ANY) || subtype.equals(other.subtype));
    }

    boolean overlaps(MediaRange other) {
        return includes(other) || other.includes(this);
    }

    /** 0 for all, 1 for all of a type, 2 for one media type. */
    int specificity() {
        return subtype.equals(ANY) ? type.equals(ANY) ? 0 : 1 : 2;
    }
}
