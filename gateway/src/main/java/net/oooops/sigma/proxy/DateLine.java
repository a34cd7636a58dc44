package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** The Date field (RFC 9110 section 6.6.1), written anew at most once a second. Belongs to one Worker. */
final class DateLine {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long SECOND_MILLIS = 1_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    /** IMF-fixdate, RFC 9110 section 5.6.7. */
    private static final DateTimeFormatter IMF_FIXDATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final LongSupplier wallMillis;
    private byte[] line = new byte[0];
    private long writtenNanos;

    /** @param wallMillis milliseconds since the epoch */
    DateLine(LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
    }

    /** {@code Date: …} with CRLF, at most a second old. */
    byte[] at(long nanos) {
        if (line.length == 0 || nanos - writtenNanos >= SECOND_NANOS) {
            long millis = wallMillis.getAsLong();
            line = ("Date: " + IMF_FIXDATE.format(Instant.ofEpochMilli(millis)) + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            // Aligned to the wall clock's second, or the field could lag by nearly two.
            writtenNanos = nanos - millis % SECOND_MILLIS * NANOS_PER_MILLI;
        }
        return line;
    }
}
