package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinePartsTest {
    private static final long YEAR_9000_SECONDS = 221_845_392_000L;

    private final byte[] out = new byte[8192];

    private String text(int end) {
        return new String(out, 0, end, StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "America/St_Johns", "Asia/Kolkata", "Europe/Berlin", "Pacific/Apia"})
    void timesAreThoseOfTheJdk(String zoneName) {
        ZoneId zone = ZoneId.of(zoneName);
        DateTimeFormatter combined = DateTimeFormatter.ofPattern("'['dd/MMM/yyyy:HH:mm:ss Z']'", Locale.ENGLISH)
                .withZone(zone);
        DateTimeFormatter iso = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
        LogTime local = new LogTime(zone);
        LogTime utc = new LogTime(ZoneOffset.UTC);
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long millis = random.nextLong(YEAR_9000_SECONDS * 1000);
            Instant instant = Instant.ofEpochMilli(millis);
            assertThat(text(local.putCombined(millis, out, 0))).isEqualTo(combined.format(instant));
            assertThat(text(utc.putIso(millis, out, 0))).isEqualTo(iso.format(instant));
        }
    }

    @Test
    void timesFollowTheClock() {
        LogTime utc = new LogTime(ZoneOffset.UTC);
        assertThat(text(utc.putIso(999, out, 0))).isEqualTo("1970-01-01T00:00:00.999Z");
        assertThat(text(utc.putIso(1000, out, 0))).isEqualTo("1970-01-01T00:00:01.000Z");
        assertThat(text(utc.putIso(0, out, 0))).isEqualTo("1970-01-01T00:00:00.000Z");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 0",
        "9, 1, 9",
        "10, 1, 10",
        "7, 3, 007",
        "1234, 3, 1234",
        "-5, 1, 0",
        "9223372036854775807, 1, 9223372036854775807"
    })
    void decimals(long value, int digitsMin, String expected) {
        assertThat(text(Decimal.put(value, digitsMin, out, 0))).isEqualTo(expected);
    }

    @Test
    void escapingMovesEveryByteToItsPlace() {
        Random random = new Random(2);
        for (int i = 0; i < 2_000; i++) {
            byte[] raw = new byte[random.nextInt(64)];
            random.nextBytes(raw);
            StringBuilder nginx = new StringBuilder();
            for (byte b : raw) {
                boolean plain = b >= 0x20 && b < 0x7F && b != '"' && b != '\\';
                nginx.append(plain ? String.valueOf((char) b) : String.format("\\x%02X", b & 0xFF));
            }
            Arrays.fill(out, (byte) '#');
            System.arraycopy(raw, 0, out, 3, raw.length);
            int end = Escaping.NGINX.apply(out, 3, 3 + raw.length);
            assertThat(text(end)).isEqualTo("###" + nginx);
        }
    }
}
