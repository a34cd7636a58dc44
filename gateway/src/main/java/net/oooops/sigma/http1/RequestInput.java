package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import net.oooops.sigma.memory.RelayMemory;
import org.jspecify.annotations.Nullable;

/**
 * What was received on a client's connection and isn't used up: the part that is being gone through, and, behind a request that isn't answered
 * yet, the pipelined part that is held. Where that is as much as may wait, the connection isn't read. A few bytes are copied: they must not
 * keep a whole receive buffer.
 *
 * <p>Called on the connection's event loop only.
 */
final class RequestInput {
    private static final int COPY_BYTES_MAX = 4096;

    private final Channel channel;
    private final RelayMemory memory;
    private final int bytesMax;
    /** What is being gone through; none of it is held. */
    private @Nullable ByteBuf current;

    private @Nullable ByteBuf held;
    private long receivedBytes;

    RequestInput(Channel channel, RelayMemory memory, int bytesMax) {
        this.channel = channel;
        this.memory = memory;
        this.bytesMax = bytesMax;
    }

    /** So many bytes came. */
    void came(int bytes) {
        receivedBytes += bytes;
    }

    /** How many bytes came since this was last asked. */
    long takeReceivedBytes() {
        long taken = receivedBytes;
        receivedBytes = 0;
        return taken;
    }

    // What is gone through

    /** Goes through {@code in}, which is this one's from now on. */
    void begin(ByteBuf in) {
        current = in;
    }

    /**
     * Nobody goes on with it now.
     *
     * @param kept whether what is left of it is held, rather than dropped
     */
    void end(boolean kept) {
        ByteBuf in = current;
        current = null;
        if (in != null && kept && in.isReadable()) {
            hold(in);
        } else if (in != null) {
            in.release();
        }
    }

    /** Whether some is being gone through. */
    boolean isBegun() {
        return current != null;
    }

    /** Whether nothing is left of all that was received. */
    boolean isUsedUp() {
        ByteBuf in = current;
        return held == null && (in == null || !in.isReadable());
    }

    /** What is left of all that was received, the caller's from now on, or null. Where it is being gone through, that goes on behind it. */
    @Nullable ByteBuf rest() {
        ByteBuf in = current;
        return in == null ? take() : in.retain();
    }

    // What is held

    /** Whether none is. */
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
    void hold(ByteBuf in) {
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

    /** Drops what is held. */
    void release() {
        ByteBuf rest = take();
        if (rest != null) {
            rest.release();
        }
    }
}
