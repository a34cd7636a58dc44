package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Scratch;
import org.junit.jupiter.api.Test;

class CodedBodyTest {
    private static final int BODY_BYTES = 1 << 20;
    private static final int BYTES_PER_WRITTEN = 10_000;

    /** Reads all that it is given and makes next to nothing of it, as what packs well. */
    private static final class Shrinking implements Coder {
        private int read;
        private int written;
        private boolean finished;

        @Override
        public void reset() {}

        @Override
        public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
            read += in.remaining();
            in.position(in.limit());
            while (written < read / BYTES_PER_WRITTEN) {
                out.put((byte) 1);
                written++;
            }
            finished |= until == Until.FINISHED;
            return true;
        }

        @Override
        public void close() {}
    }

    private static final class Written implements BodyOutput {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            bytes.write(b);
        }

        @Override
        public void write(byte[] from, int at, int count) {
            bytes.write(from, at, count);
        }

        @Override
        public void write(ByteBuffer from) {
            while (from.hasRemaining()) {
                bytes.write(from.get());
            }
        }

        @Override
        public int room() {
            return BODY_BYTES;
        }
    }

    private final Shrinking coder = new Shrinking();
    private final CodedBody body = new CodedBody(coder);
    private final Written out = new Written();

    @Test
    void aCallReadsLittleOfWhatBecomesLittle() throws Exception {
        body.go(ByteBuffer.allocate(BODY_BYTES), Coder.Until.READ, out);
        assertThat(coder.read).isPositive().isLessThanOrEqualTo(CodedBody.CALL_READ_BYTES);
        int calls = 1;
        while (body.hasMore()) {
            int before = coder.read;
            body.more(out);
            assertThat(coder.read - before).isPositive().isLessThanOrEqualTo(CodedBody.CALL_READ_BYTES);
            calls++;
        }
        assertThat(calls).isEqualTo(BODY_BYTES / CodedBody.CALL_READ_BYTES);
        assertThat(out.bytes.size()).isEqualTo(BODY_BYTES / BYTES_PER_WRITTEN);
    }

    @Test
    void theEndIsToldWithTheLastPartOnly() throws Exception {
        body.go(ByteBuffer.allocate(2 * CodedBody.CALL_READ_BYTES), Coder.Until.FINISHED, out);
        assertThat(coder.finished).isFalse();
        body.more(out);
        assertThat(coder.finished).isTrue();
        assertThat(body.hasMore()).isFalse();
    }

    /** Thousands of bodies that wait hold no direct memory each. */
    @Test
    void coderAfterCoderWritesIntoTheSameMemory() {
        ByteBuffer first = Scratch.out();
        assertThat(Scratch.out()).isSameAs(first);
        assertThat(first.isDirect()).isTrue();
    }
}
