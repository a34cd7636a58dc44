package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.KnownField;

class BodyDecoderFuzzTest {
    private static final String TEXT = "[\\t\\x20\\x21\\x23-\\x5B\\x5D-\\x7E\\x80-\\xFF]";
    private static final String ANY = "[\\t\\x20-\\x7E\\x80-\\xFF]";
    private static final Pattern SIZE =
            Pattern.compile("([0-9A-Fa-f]{1,16})([\\t ]*+;(?:[\\t\\x20\\x21\\x23-\\x7E\\x80-\\xFF]|\"(?:" + TEXT
                    + "|\\\\" + ANY + ")*+\")*+)?+\\r\\n");
    private static final Pattern TRAILER =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\\t ]*+(" + ANY + "*?)[\\t ]*\\r\\n");
    private static final Pattern CONTENT = Pattern.compile("content-.*");

    /** No input reaches one of these limits: the longest line is not longer than the input. */
    private static final int INPUT_BYTES_MAX = 400;

    /** A chunked body is what a naive reading by regular expressions makes of it, however it is cut. */
    @FuzzTest
    void aBodyIsWhatANaiveReadingMakesOfIt(byte[] input) {
        if (input.length < 3 || input.length > INPUT_BYTES_MAX) {
            return;
        }
        byte[] raw = Arrays.copyOfRange(input, 2, input.length);
        int first = Math.min(input[0] & 0xFF, raw.length);
        int second = Math.clamp(input[1] & 0xFF, first, raw.length);
        String expected = naive(new String(raw, ISO_8859_1));
        assertThat(accepted(Reading.chunked(List.of(raw), Limits.DEFAULT))).isEqualTo(expected);
        assertThat(accepted(Reading.chunked(Reading.cut(raw, first, second), Limits.DEFAULT)))
                .isEqualTo(expected);
        assertThat(accepted(Reading.chunked(Reading.singly(raw), Limits.DEFAULT)))
                .isEqualTo(expected);
    }

    private static String accepted(String reading) {
        return reading.startsWith("done") ? reading : "";
    }

    /** As {@link Reading#chunked} says it, or empty where the body isn't complete or not well-formed. */
    private static String naive(String raw) {
        StringBuilder content = new StringBuilder();
        Matcher size = SIZE.matcher(raw);
        int at = 0;
        while (size.region(at, raw.length()).lookingAt()) {
            at = size.end();
            BigInteger bytes = new BigInteger(size.group(1), 16);
            if (bytes.signum() == 0) {
                return trailers(raw, at, content);
            }
            if (bytes.compareTo(BigInteger.valueOf(raw.length())) > 0) {
                return "";
            }
            int end = at + bytes.intValue();
            if (end > raw.length() || !raw.startsWith("\r\n", end)) {
                return "";
            }
            content.append(raw, at, end);
            at = end + 2;
        }
        return "";
    }

    private static String trailers(String raw, int start, StringBuilder content) {
        StringBuilder section = new StringBuilder();
        Matcher trailer = TRAILER.matcher(raw);
        int at = start;
        while (trailer.region(at, raw.length()).lookingAt()) {
            byte[] name = trailer.group(1).toLowerCase(Locale.ROOT).getBytes(ISO_8859_1);
            boolean forbidden = KnownField.isNeverTrailer(KnownField.of(name, 0, name.length))
                    || CONTENT.matcher(new String(name, ISO_8859_1)).matches();
            if (forbidden) {
                return "";
            }
            section.append(raw, at, trailer.end());
            at = trailer.end();
        }
        return raw.startsWith("\r\n", at) ? "done after " + (at + 2) + "\n" + content + "\n" + section : "";
    }
}
