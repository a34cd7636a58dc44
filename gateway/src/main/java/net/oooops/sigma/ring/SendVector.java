package net.oooops.sigma.ring;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.IovArray;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one connection sends next, as a message for the kernel ({@code struct msghdr} and its {@code iovec}s), and the operation that sends
 * it. That is the same each time, since the message stays where it is: an operation for each send, with the address of its bytes, is an
 * object that the compiler removes on some days and not on others.
 */
final class SendVector {
    private static final int BUFFERS_MAX = 64;
    private static final int HEADER_BYTES = 56;
    private static final int AT_VECTORS = 16;
    private static final int AT_VECTORS_COUNT = 24;
    /** The one vector of a single buffer is behind the header. */
    private static final int AT_ADDRESS = HEADER_BYTES;

    private static final int AT_LENGTH = AT_ADDRESS + Long.BYTES;
    private static final int ALL_BYTES = AT_LENGTH + Long.BYTES;

    private final CleanableDirectBuffer memory = Buffer.allocateDirectBufferWithNativeOrder(ALL_BYTES);
    private final ByteBuffer message = memory.buffer();
    private final long address = Buffer.memoryAddress(message);
    private final IoUringIoOps operation;
    private @Nullable IovArray several;

    SendVector(int socket) {
        operation = Op.sendMessage(socket, address);
        // No name, no control message, no flags.
        for (int at = 0; at < ALL_BYTES; at += Long.BYTES) {
            message.putLong(at, 0);
        }
    }

    /** Sends the readable bytes of one direct buffer. */
    IoUringIoOps one(ByteBuf bytes) {
        int length = bytes.readableBytes();
        message.putLong(AT_ADDRESS, addressOf(bytes, bytes.readerIndex(), length));
        message.putLong(AT_LENGTH, length);
        return vectors(address + AT_ADDRESS, 1);
    }

    /** Sends what is flushed, as far as there is room. */
    IoUringIoOps all(ChannelOutboundBuffer out) throws Exception {
        IovArray vectors = several;
        if (vectors == null) {
            vectors = new IovArray(BUFFERS_MAX);
            several = vectors;
        }
        vectors.clear();
        out.forEachFlushedMessage(vectors);
        return vectors(vectors.memoryAddress(0), vectors.count());
    }

    private IoUringIoOps vectors(long first, int count) {
        message.putLong(AT_VECTORS, first);
        message.putLong(AT_VECTORS_COUNT, count);
        return operation;
    }

    /** Where {@code length} bytes of a direct buffer begin. */
    static long addressOf(ByteBuf bytes, int index, int length) {
        if (bytes.hasMemoryAddress()) {
            return bytes.memoryAddress() + index;
        }
        ByteBuffer view = bytes.internalNioBuffer(index, length);
        return Buffer.memoryAddress(view) + view.position();
    }

    void release() {
        IovArray vectors = several;
        if (vectors != null) {
            several = null;
            vectors.release();
        }
        memory.clean();
    }
}
