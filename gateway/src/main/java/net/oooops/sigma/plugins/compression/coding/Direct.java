package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What is on the heap, for a library that reads nothing from there: copied, a part at a time. For one thread at a time. */
final class Direct {
    private static final int PART_BYTES = 8192;

    private @Nullable ByteBuffer copy;

    /** {@code in} itself, or a copy of its next part. */
    ByteBuffer of(ByteBuffer in) {
        if (in.isDirect()) {
            return in;
        }
        ByteBuffer to = copy == null ? ByteBuffer.allocateDirect(PART_BYTES) : copy;
        copy = to;
        int count = Math.min(in.remaining(), PART_BYTES);
        to.clear();
        to.put(0, in, in.position(), count).limit(count);
        return to;
    }

    /** So far {@code part} has been read: so has {@code in}. */
    void read(ByteBuffer in, ByteBuffer part, int from) {
        if (!in.isDirect()) {
            in.position(in.position() + part.position() - from);
        }
    }
}
