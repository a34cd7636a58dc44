package net.oooops.sigma.plugins.compression.coding;

import com.aayushatharva.brotli4j.encoder.Encoder;
import com.aayushatharva.brotli4j.encoder.EncoderJNI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Packs as br (RFC 7932). The library's encoder is good for one body. */
final class BrotliPacker implements Coder {
    private static final int INPUT_BYTES = 16 * 1024;
    private static final int WINDOW_LOG = 18;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final int level;
    private EncoderJNI.@Nullable Wrapper encoder;
    /** What it has made and didn't fit; its own memory until it is called again. */
    private ByteBuffer made = NOTHING;
    /** Whether the step before has told it what was wanted. */
    private boolean asked;

    BrotliPacker(int level) {
        this.level = level;
    }

    @Override
    public void reset() {
        close();
        made = NOTHING;
        asked = false;
    }

    private EncoderJNI.Wrapper encoder() {
        EncoderJNI.Wrapper now = encoder;
        if (now == null) {
            try {
                now = new EncoderJNI.Wrapper(INPUT_BYTES, level, WINDOW_LOG, Encoder.Mode.GENERIC);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            encoder = now;
        }
        return now;
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
        EncoderJNI.Wrapper to = encoder();
        EncoderJNI.Operation last = switch (until) {
            case READ -> EncoderJNI.Operation.PROCESS;
            case FLUSHED -> EncoderJNI.Operation.FLUSH;
            case FINISHED -> EncoderJNI.Operation.FINISH;
        };
        while (isWritten(to, out)) {
            if (to.hasRemainingInput()) {
                push(to, asked ? last : EncoderJNI.Operation.PROCESS, 0);
            } else if (in.hasRemaining()) {
                push(to, EncoderJNI.Operation.PROCESS, fill(to.getInputBuffer(), in));
            } else if (until != Until.READ && !asked) {
                asked = true;
                push(to, last, 0);
            } else {
                asked = false;
                return true;
            }
        }
        return false;
    }

    private static void push(EncoderJNI.Wrapper to, EncoderJNI.Operation operation, int count) {
        to.push(operation, count);
        if (!to.isSuccess()) {
            throw new IllegalStateException("the encoder of br failed");
        }
    }

    private static int fill(ByteBuffer to, ByteBuffer from) {
        int count = Math.min(from.remaining(), to.capacity());
        to.clear();
        to.put(0, from, from.position(), count);
        from.position(from.position() + count);
        return count;
    }

    /** Whether all that it has made was written. */
    private boolean isWritten(EncoderJNI.Wrapper from, ByteBuffer out) {
        while (true) {
            int count = Math.min(made.remaining(), out.remaining());
            out.put(out.position(), made, made.position(), count).position(out.position() + count);
            made.position(made.position() + count);
            if (made.hasRemaining()) {
                return false;
            }
            if (!from.hasMoreOutput()) {
                return true;
            }
            made = from.pull();
        }
    }

    @Override
    public void close() {
        EncoderJNI.Wrapper now = encoder;
        encoder = null;
        if (now != null) {
            now.destroy();
        }
    }
}
