package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coding;
import org.jspecify.annotations.Nullable;

class UnpackerFuzzTest {
    private static final int PART_BYTES_MAX = 5;
    private static final int FLAGS_AT = 3;
    private static final int RESERVED = 0xE0;
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8};

    /** Taken or not is the same for the whole and for parts, and for the JDK, of gzip whose header may say anything. */
    @FuzzTest
    void partsAreReadAsTheWhole(byte[] rest) {
        byte[] body = ByteBuffer.allocate(HEADER.length + rest.length)
                .put(HEADER)
                .put(rest)
                .array();
        byte[] whole = unpacked(body, body.length);
        compare(body, whole);
        for (int each = 1; each <= PART_BYTES_MAX; each++) {
            assertThat(unpacked(body, each)).isEqualTo(whole);
        }
    }

    /**
     * What the JDK's own decoder makes of a body is what ours does. It takes for granted what we refuse: flags that nobody has given a meaning, and
     * whatever stands behind a member and begins no other one.
     */
    private static void compare(byte[] body, byte @Nullable [] ours) {
        byte[] theirs = byTheJdk(body);
        if (ours != null) {
            assertThat(theirs).as("what the JDK makes of it").isEqualTo(ours);
        } else if (theirs != null && (body[FLAGS_AT] & RESERVED) == 0) {
            assertThat(isOfAnyBeginning(body, theirs))
                    .as("more than its beginning is sound")
                    .isTrue();
        }
    }

    /** Whether a beginning of a body becomes that. */
    private static boolean isOfAnyBeginning(byte[] body, byte[] made) {
        for (int length = body.length - 1; length > HEADER.length; length--) {
            if (Arrays.equals(unpacked(Arrays.copyOf(body, length), length), made)) {
                return true;
            }
        }
        return false;
    }

    private static byte @Nullable [] byTheJdk(byte[] body) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        } catch (IOException e) {
            return null;
        }
    }

    private static byte @Nullable [] unpacked(byte[] body, int each) {
        Coder coder = Coding.GZIP.unpacker();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer out = ByteBuffer.allocateDirect(100);
        try {
            for (int from = 0; from < body.length; from += each) {
                ByteBuffer in = ByteBuffer.wrap(body, from, Math.min(each, body.length - from));
                step(coder, in, Coder.Until.READ, out, all);
            }
            step(coder, ByteBuffer.allocate(0), Coder.Until.FINISHED, out, all);
            return all.toByteArray();
        } catch (RefusedBodyException e) {
            return null;
        } finally {
            coder.close();
        }
    }

    private static void step(Coder coder, ByteBuffer in, Coder.Until until, ByteBuffer out, ByteArrayOutputStream all)
            throws RefusedBodyException {
        boolean done = false;
        while (!done) {
            done = coder.step(in, out.clear(), until);
            byte[] made = new byte[out.flip().remaining()];
            out.get(made);
            all.writeBytes(made);
        }
    }
}
