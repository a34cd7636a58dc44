package net.oooops.sigma.plugins.staticresources;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;

/** Dates of HTTP in their three forms (RFC 9110 section 5.6.7), as seconds since 1970. */
final class HttpDate {
    /** What is no date. */
    static final long NONE = Long.MIN_VALUE;

    private static final int CHARS_MAX = 40;

    private static final DateTimeFormatter FIXED =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private static final List<DateTimeFormatter> FORMS = List.of(
            FIXED,
            new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, 1970)
                    .appendPattern(" HH:mm:ss 'GMT'")
                    .toFormatter(Locale.ENGLISH),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH));

    private HttpDate() {}

    static String format(long seconds) {
        return FIXED.format(LocalDateTime.ofInstant(Instant.ofEpochSecond(seconds), ZoneOffset.UTC));
    }

    /** That date, or {@link #NONE}. */
    static long parse(String text) {
        if (text.length() > CHARS_MAX) {
            return NONE;
        }
        for (DateTimeFormatter form : FORMS) {
            try {
                return LocalDateTime.parse(text, form).toEpochSecond(ZoneOffset.UTC);
            } catch (DateTimeException e) {
                // Another form, or none.
            }
        }
        return NONE;
    }
}
