package net.oooops.sigma.plugins.compression.coding;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

class GzipPackerFuzzTest {
    private static final int OUT_BYTES_MIN = 20;

    /**
     * Bodies in parts of any size, on the heap or not, flushed anywhere, written in steps of any size, become the same again. The first bytes say
     * how; each further one is the size of a part, and whether it is flushed.
     */
    @FuzzTest
    void bodiesBecomeTheSameAgain(byte[] input) throws IOException {
        if (input.length < 4) {
            return;
        }
        DeflateParameters parameters =
                new DeflateParameters(1 + (input[0] & 0xFF) % 9, 9 + (input[1] & 0xFF) % 7, 1 + (input[2] & 0xFF) % 9);
        for (Deflates deflates : Deflates.values()) {
            if (deflates == Deflates.SYSTEM && Zlib.whyNot() != null) {
                continue;
            }
            Coder coder = deflates.packer(parameters);
            try {
                byte[] first = packed(coder, input);
                assertThat(Deflates.unpacked(first)).isEqualTo(input);
                coder.reset();
                assertThat(packed(coder, input)).isEqualTo(first);
            } finally {
                coder.close();
            }
        }
    }

    private static byte[] packed(Coder coder, byte[] input) throws IOException {
        int outEach = OUT_BYTES_MIN + (input[3] & 0xFF);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int from = 0;
        while (from < input.length) {
            int word = input[from] & 0xFF;
            int to = Math.min(input.length, from + 1 + word / 4);
            byte[] part = Arrays.copyOfRange(input, from, to);
            ByteBuffer in = (word & 1) == 0
                    ? ByteBuffer.wrap(part)
                    : ByteBuffer.allocateDirect(part.length).put(part).flip();
            boolean flushes = (word & 2) != 0;
            all.writeBytes(Deflates.stepped(coder, in, flushes ? Coder.Until.FLUSHED : Coder.Until.READ, outEach));
            from = to;
            if (flushes) {
                assertThat(Deflates.begun(all.toByteArray(), from)).isEqualTo(Arrays.copyOf(input, from));
            }
        }
        all.writeBytes(Deflates.stepped(coder, ByteBuffer.allocate(0), Coder.Until.FINISHED, outEach));
        return all.toByteArray();
    }
}
