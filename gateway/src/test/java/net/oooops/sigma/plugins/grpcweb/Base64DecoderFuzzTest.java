package net.oooops.sigma.plugins.grpcweb;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

class Base64DecoderFuzzTest {
    private static final int PART_BYTES_MAX = 7;

    /** Taken or not is the same for the whole and for parts, and what is taken the JDK reads the same, four characters at a time. */
    @FuzzTest
    void partsAreReadAsTheWhole(byte[] text) {
        byte[] whole = decoded(text, Math.max(1, text.length));
        for (int each = 1; each <= PART_BYTES_MAX; each++) {
            assertThat(decoded(text, each)).isEqualTo(whole);
        }
        if (whole != null) {
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (int i = 0; i < text.length; i += 4) {
                expected.writeBytes(Base64.getDecoder().decode(Arrays.copyOfRange(text, i, i + 4)));
            }
            assertThat(whole).isEqualTo(expected.toByteArray());
        }
    }

    private static byte @Nullable [] decoded(byte[] text, int each) {
        Base64Decoder decoder = new Base64Decoder();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] out = new byte[PART_BYTES_MAX];
        try {
            for (int from = 0; from < text.length; from += each) {
                ByteBuffer in = ByteBuffer.wrap(text, from, Math.min(each, text.length - from));
                while (in.hasRemaining()) {
                    all.write(out, 0, decoder.decode(in, out));
                }
            }
            decoder.end();
            return all.toByteArray();
        } catch (RefusedBodyException e) {
            return null;
        }
    }
}
