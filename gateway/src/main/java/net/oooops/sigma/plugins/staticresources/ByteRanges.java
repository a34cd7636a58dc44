package net.oooops.sigma.plugins.staticresources;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The field Range (RFC 9110 section 14.2), for a file of a known length. What a client asks for more than once is sent once: ranges that overlap,
 * or nearly touch, become one.
 */
final class ByteRanges {
    /** The whole file is sent: there is no range that is understood, or too many. */
    static final List<Span> WHOLE = List.of();

    /** What is between two parts costs about so much. */
    private static final int BETWEEN_BYTES = 80;

    private static final int DIGITS_MAX = 18;
    private static final String UNIT = "bytes=";

    /**
     * Bytes of a file.
     *
     * @param first of them
     * @param bytes how many, at least 1
     */
    record Span(long first, long bytes) {
        long end() {
            return first + bytes;
        }
    }

    private ByteRanges() {}

    /**
     * What is to be sent.
     *
     * @param length of the file
     * @param rangesMax how many ranges are looked at; with more all of the file is sent
     * @return {@link #WHOLE}; or null where nothing that is asked for is there: 416
     */
    static @Nullable List<Span> of(String field, long length, int rangesMax) {
        if (!field.toLowerCase(Locale.ROOT).startsWith(UNIT)) {
            return WHOLE;
        }
        List<Span> spans = new ArrayList<>();
        int count = 0;
        int at = UNIT.length();
        while (at <= field.length()) {
            int comma = field.indexOf(',', at);
            int end = comma < 0 ? field.length() : comma;
            String one = field.substring(at, end).strip();
            at = end + 1;
            if (one.isEmpty()) {
                continue;
            }
            Span span = span(one, length);
            if (span == null || ++count > rangesMax) {
                return WHOLE;
            }
            if (span.bytes > 0) {
                spans.add(span);
            }
        }
        if (count == 0) {
            return WHOLE;
        }
        return spans.isEmpty() ? null : apart(spans);
    }

    /** One range; of no bytes where there is nothing of it, null where it isn't understood. */
    private static @Nullable Span span(String text, long length) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            return null;
        }
        long first = number(text.substring(0, dash));
        long last = number(text.substring(dash + 1));
        boolean suffix = dash == 0;
        boolean open = dash == text.length() - 1;
        if ((first < 0 && !suffix) || (last < 0 && !open) || (suffix && open) || (!suffix && !open && last < first)) {
            return null;
        }
        if (suffix) {
            long bytes = Math.min(last, length);
            return new Span(length - bytes, bytes);
        }
        long end = open ? length : Math.min(last, length - 1) + 1;
        return new Span(first, Math.max(0, end - first));
    }

    private static long number(String digits) {
        if (digits.isEmpty()) {
            return -1;
        }
        for (int i = 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
                return -1;
            }
        }
        return digits.length() > DIGITS_MAX ? Long.MAX_VALUE - 1 : Long.parseLong(digits);
    }

    /** The same bytes, each once; in the order asked for where none of them overlap. */
    private static List<Span> apart(List<Span> asked) {
        List<Span> sorted = new ArrayList<>(asked);
        sorted.sort(Comparator.comparingLong(Span::first));
        List<Span> joined = new ArrayList<>();
        for (Span span : sorted) {
            Span before = joined.isEmpty() ? null : joined.getLast();
            if (before == null || span.first > before.end() + BETWEEN_BYTES) {
                joined.add(span);
            } else {
                joined.removeLast();
                joined.add(new Span(before.first, Math.max(before.end(), span.end()) - before.first));
            }
        }
        return joined.size() == asked.size() ? asked : joined;
    }
}
