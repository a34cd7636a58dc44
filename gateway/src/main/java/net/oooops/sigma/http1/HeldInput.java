package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Pipelined input that waits until the request before it is answered. Bounded by who fills it: it stops reading. What waits is a
 * copy, as a few bytes must not keep a whole receive buffer.
 */
final class HeldInput {
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
        ByteBuf all = held;
        if (all == null) {
            all = alloc.directBuffer(in.readableBytes());
            held = all;
        }
        all.writeBytes(in);
        in.release();
        return all.readableBytes();
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
