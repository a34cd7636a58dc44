package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Scratch;
import org.jspecify.annotations.Nullable;

/** A body within its coder: what one call doesn't write, the next ones do. */
final class CodedBody {
    static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    /** What one call writes, about: enough for the other side's buffers, and little for an event loop. */
    private static final int CALL_BYTES = 64 * 1024;

    /** What one call reads, once it has written anything: what packs well, but slowly, is read by the megabyte before it fills the above. */
    static final int CALL_READ_BYTES = 32 * 1024;

    /** What a coder wants at least for a step. */
    private static final int STEP_BYTES_MIN = 64;

    private final Coder coder;
    /** What it is about, where it isn't done. */
    private Coder.@Nullable Until wanted;
    /** What hasn't been read, then. */
    private ByteBuffer rest = NOTHING;

    CodedBody(Coder coder) {
        this.coder = coder;
    }

    Coder coder() {
        return coder;
    }

    boolean hasMore() {
        return wanted != null;
    }

    /** Goes on with the next bytes. What isn't read of them is copied. Returns how many were written. */
    int go(ByteBuffer in, Coder.Until until, BodyOutput out) throws RefusedBodyException {
        int written = step(in, until, out);
        if (in.hasRemaining()) {
            rest = ByteBuffer.allocate(in.remaining()).put(in).flip();
        }
        return written;
    }

    /** Goes on where it was; as {@link #go}. */
    int more(BodyOutput out) throws RefusedBodyException {
        Coder.Until until = wanted;
        int written = until == null ? 0 : step(rest, until, out);
        if (!rest.hasRemaining()) {
            rest = NOTHING;
        }
        return written;
    }

    private int step(ByteBuffer in, Coder.Until until, BodyOutput out) throws RefusedBodyException {
        int from = in.position();
        int end = in.limit();
        int written = 0;
        boolean done = false;
        while (!done && !isEnough(written, in.position() - from) && (written == 0 || out.room() >= STEP_BYTES_MIN)) {
            in.limit(Math.min(end, in.position() + CALL_READ_BYTES));
            boolean isRest = in.limit() == end;
            ByteBuffer buffer = Scratch.out();
            buffer.limit(Math.min(buffer.capacity(), out.room()));
            done = coder.step(in, buffer, isRest ? until : Coder.Until.READ) && isRest;
            in.limit(end);
            written += buffer.position();
            out.write(buffer.flip());
        }
        wanted = done ? null : until;
        return written;
    }

    private static boolean isEnough(int written, int read) {
        return written >= CALL_BYTES || (written > 0 && read >= CALL_READ_BYTES);
    }
}
