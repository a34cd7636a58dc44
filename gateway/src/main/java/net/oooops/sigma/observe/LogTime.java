package net.oooops.sigma.observe;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time of a line, put together once a second, and without the JDK's formatters, which are slow to start. */
final class LogTime {
    private static final byte[] MONTHS = LineBytes.of("JanFebMarAprMayJunJulAugSepOctNovDec");
    private static final int MONTH_CHARS = 3;
    private static final int TEXT_BYTES_MAX = 32;
    private static final long MILLIS_PER_SECOND = 1000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_PER_HOUR = 60;

    private final ZoneId zone;
    private final byte[] text = new byte[TEXT_BYTES_MAX];
    private int length;
    private long textSecond = Long.MIN_VALUE;

    /** Time as it is read in that zone. One object writes one of the two forms. */
    LogTime(ZoneId zone) {
        this.zone = zone;
    }

    /** Writes {@code [10/Oct/2000:13:55:36 -0700]}. */
    int putCombined(long wallMillis, byte[] out, int at) {
        long second = Math.floorDiv(wallMillis, MILLIS_PER_SECOND);
        if (second != textSecond) {
            textSecond = second;
            length = combined(second);
        }
        System.arraycopy(text, 0, out, at, length);
        return at + length;
    }

    /** Writes the same without brackets. */
    int putLocal(long wallMillis, byte[] out, int at) {
        int end = putCombined(wallMillis, out, at);
        System.arraycopy(out, at + 1, out, at, end - at - 2);
        return end - 2;
    }

    /** Writes {@code 2000-10-10T20:55:36.123Z}; for UTC. */
    int putIso(long wallMillis, byte[] out, int at) {
        long second = Math.floorDiv(wallMillis, MILLIS_PER_SECOND);
        if (second != textSecond) {
            textSecond = second;
            length = iso(second);
        }
        System.arraycopy(text, 0, out, at, length);
        int end = Decimal.put(Math.floorMod(wallMillis, MILLIS_PER_SECOND), 3, out, at + length);
        out[end] = 'Z';
        return end + 1;
    }

    private int combined(long second) {
        ZoneOffset offset = zone.getRules().getOffset(Instant.ofEpochSecond(second));
        LocalDateTime local = LocalDateTime.ofEpochSecond(second, 0, offset);
        int at = 0;
        text[at++] = '[';
        at = putPair(local.getDayOfMonth(), '/', at);
        System.arraycopy(MONTHS, (local.getMonthValue() - 1) * MONTH_CHARS, text, at, MONTH_CHARS);
        at += MONTH_CHARS;
        text[at++] = '/';
        at = Decimal.put(local.getYear(), 4, text, at);
        text[at++] = ':';
        at = putPair(local.getHour(), ':', at);
        at = putPair(local.getMinute(), ':', at);
        at = putPair(local.getSecond(), ' ', at);
        int offsetMinutes = offset.getTotalSeconds() / SECONDS_PER_MINUTE;
        text[at++] = (byte) (offsetMinutes < 0 ? '-' : '+');
        at = Decimal.put(Math.abs(offsetMinutes) / MINUTES_PER_HOUR, 2, text, at);
        return putPair(Math.abs(offsetMinutes) % MINUTES_PER_HOUR, ']', at);
    }

    private int iso(long second) {
        LocalDateTime local =
                LocalDateTime.ofEpochSecond(second, 0, zone.getRules().getOffset(Instant.ofEpochSecond(second)));
        int at = Decimal.put(local.getYear(), 4, text, 0);
        text[at++] = '-';
        at = putPair(local.getMonthValue(), '-', at);
        at = putPair(local.getDayOfMonth(), 'T', at);
        at = putPair(local.getHour(), ':', at);
        at = putPair(local.getMinute(), ':', at);
        return putPair(local.getSecond(), '.', at);
    }

    private int putPair(int value, char then, int at) {
        int end = Decimal.put(value, 2, text, at);
        text[end] = (byte) then;
        return end + 1;
    }
}
