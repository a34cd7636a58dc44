package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Pipelined input that waits until the request before it is answered. Bounded by who fills it: it stops reading. A few
 * bytes are copied: they must not keep a whole receive buffer.
 */
final class HeldInput {
    private static final int COPY_BYTES_MAX = 4096;

    private @Nullable ByteBuf held;

    boolean isEmpty() {
        return held == null;
    }

    /** How many bytes are held. */
    int bytes() {
        ByteBuf now = held;
        return now == null ? 0 : now.readableBytes();
    }

    /** Takes {@code in} over, behind what is held, and returns how many bytes are held now. */
    int add(ByteBuf in, ByteBufAllocator alloc) {
        ByteBuf before = held;
        if (before == null && in.readableBytes() > COPY_BYTES_MAX) {
            held = in;
            return in.readableBytes();
        }
        int count = in.readableBytes() + bytes();
        ByteBuf all = alloc.directBuffer(count);
        if (before != null) {
            all.writeBytes(before);
            before.release();
        }
        all.writeBytes(in);
        in.release();
        held = all;
        return count;
    }

    /** What is held, which is the caller's then, or null. */
    @Nullable ByteBuf take() {
        ByteBuf taken = held;
        held = null;
        return taken;
    }

    void release() {
        ByteBuf rest = take();
        if (rest != null) {
            rest.release();
        }
    }
}
