package net.oooops.sigma.ring;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.IovArray;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;

/** Several buffers as one message for the kernel ({@code struct msghdr} and its {@code iovec}s). */
final class SendVector {
    private static final int BUFFERS_MAX = 64;
    private static final int HEADER_BYTES = 56;
    private static final int AT_VECTORS = 16;
    private static final int AT_VECTORS_COUNT = 24;

    private final IovArray vectors = new IovArray(BUFFERS_MAX);
    private final CleanableDirectBuffer memory = Buffer.allocateDirectBufferWithNativeOrder(HEADER_BYTES);

    SendVector() {
        // No name, no control message, no flags.
        for (int at = 0; at < HEADER_BYTES; at += Long.BYTES) {
            memory.buffer().putLong(at, 0);
        }
    }

    /** Collects what is flushed, as far as there is room; the address of the message. */
    long fill(ChannelOutboundBuffer out) throws Exception {
        vectors.clear();
        out.forEachFlushedMessage(vectors);
        ByteBuffer header = memory.buffer();
        header.putLong(AT_VECTORS, vectors.memoryAddress(0));
        header.putLong(AT_VECTORS_COUNT, vectors.count());
        return Buffer.memoryAddress(header);
    }

    void release() {
        vectors.release();
        memory.clean();
    }
}
