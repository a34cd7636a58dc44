package net.oooops.sigma.plugins.compression.coding;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/** Unpacks br (RFC 7932). The library's decoder is good for one body. */
final class BrotliUnpacker implements Coder {
    private static final String CODING = "br";
    private static final int INPUT_BYTES = 8 * 1024;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private DecoderJNI.@Nullable Wrapper decoder;
    /** What it has made and didn't fit; its own memory until it is called again. */
    private ByteBuffer made = NOTHING;
    /** Whether it has made something since it was last called: it may have more of the same bytes, though it says that it needs others. */
    private boolean pulled;
    /** Whether its window is known to be no larger than may be. */
    private boolean checked;

    @Override
    public void reset() {
        close();
        made = NOTHING;
        pulled = false;
        checked = false;
    }

    private DecoderJNI.Wrapper decoder() {
        DecoderJNI.Wrapper now = decoder;
        if (now == null) {
            try {
                now = new DecoderJNI.Wrapper(INPUT_BYTES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            decoder = now;
        }
        return now;
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException {
        if (!checked && in.hasRemaining()) {
            BrotliWindow.check(in.get(in.position()));
            checked = true;
        }
        DecoderJNI.Wrapper from = decoder();
        while (true) {
            int count = Math.min(made.remaining(), out.remaining());
            out.put(out.position(), made, made.position(), count).position(out.position() + count);
            made.position(made.position() + count);
            if (made.hasRemaining()) {
                return false;
            }
            if (from.getStatus() == DecoderJNI.Status.ERROR) {
                throw CodingFaults.garbage(CODING, "it can't be read");
            }
            if (from.hasOutput()) {
                made = from.pull();
                pulled = true;
            } else if (from.getStatus() == DecoderJNI.Status.OK || (pulled && !isDone(from))) {
                pulled = false;
                from.push(0);
            } else if (isRead(from, in, until)) {
                return true;
            }
        }
    }

    private static boolean isDone(DecoderJNI.Wrapper decoder) {
        return decoder.getStatus() == DecoderJNI.Status.DONE;
    }

    /** Hands it the next bytes; whether there are none. */
    private static boolean isRead(DecoderJNI.Wrapper to, ByteBuffer in, Until until) throws RefusedBodyException {
        boolean done = isDone(to);
        if (!in.hasRemaining()) {
            if (!done && until == Until.FINISHED) {
                throw CodingFaults.truncated(CODING);
            }
            return true;
        }
        if (done) {
            throw CodingFaults.behindTheEnd(CODING);
        }
        ByteBuffer buffer = to.getInputBuffer();
        int count = Math.min(in.remaining(), buffer.capacity());
        buffer.clear();
        buffer.put(0, in, in.position(), count);
        in.position(in.position() + count);
        to.push(count);
        return false;
    }

    @Override
    public void close() {
        DecoderJNI.Wrapper now = decoder;
        decoder = null;
        if (now != null) {
            now.destroy();
        }
    }
}
