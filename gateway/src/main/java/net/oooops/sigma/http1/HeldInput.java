package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import net.oooops.sigma.memory.RelayMemory;
import org.jspecify.annotations.Nullable;

/**
 * Pipelined input that waits until the request before it is answered. Where that is as much as may wait, the connection isn't read.
 * A few bytes are copied: they must not keep a whole receive buffer.
 */
final class HeldInput {
    private static final int COPY_BYTES_MAX = 4096;

    private final Channel channel;
    private final RelayMemory memory;
    private final int bytesMax;
    private @Nullable ByteBuf held;

    HeldInput(Channel channel, RelayMemory memory, int bytesMax) {
        this.channel = channel;
        this.memory = memory;
        this.bytesMax = bytesMax;
    }

    boolean isEmpty() {
        return held == null;
    }

    /** How many bytes are held. */
    int bytes() {
        ByteBuf now = held;
        return now == null ? 0 : now.readableBytes();
    }

    /** Whether the connection may be read on: less is held than the limit says or, where memory is short, nothing. */
    boolean mayHoldMore() {
        return bytes() < (memory.isShort() ? 1 : bytesMax);
    }

    /** Takes {@code in} over, behind what is held. */
    void add(ByteBuf in) {
        memory.received(in.readableBytes());
        append(in);
        if (!mayHoldMore()) {
            channel.config().setAutoRead(false);
        }
    }

    private void append(ByteBuf in) {
        ByteBuf before = held;
        if (before == null && in.readableBytes() > COPY_BYTES_MAX) {
            held = in;
            return;
        }
        ByteBuf all = channel.alloc().directBuffer(in.readableBytes() + bytes());
        if (before != null) {
            all.writeBytes(before);
            before.release();
        }
        all.writeBytes(in);
        in.release();
        held = all;
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
