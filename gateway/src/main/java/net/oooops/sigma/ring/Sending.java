package net.oooops.sigma.ring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.UnixChannelUtil;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writing to one connection: one send at a time, of all that is flushed. Called on the event loop only. */
final class Sending {
    private final IoRegistration registration;
    private final int socket;

    /** The ring's own registration, known from the first completion on. */
    private @Nullable IoRegistration direct;

    private long operation;
    private @Nullable ChannelOutboundBuffer from;
    private @Nullable SendVector vector;
    /** What the kernel may still read although nobody else wants it sent any more. */
    private @Nullable List<ByteBuf> kept;

    Sending(IoRegistration registration, int socket) {
        this.registration = registration;
        this.socket = socket;
    }

    /**
     * The registration that completions come with. It submits what the event loop's does, which is a wrapper around it. Through the wrapper
     * an operation becomes an object on the heap wherever the wrapper's only call was compiled before it was known whom it calls.
     */
    void submitBy(IoRegistration completing) {
        direct = completing;
    }

    /** What is written, as a buffer that the kernel can read. */
    static ByteBuf sendable(Object message, ByteBufAllocator allocator) {
        if (!(message instanceof ByteBuf bytes)) {
            throw new UnsupportedOperationException(message.getClass().getName() + " (expected: a ByteBuf)");
        }
        if (!UnixChannelUtil.isBufferCopyNeededForWrite(bytes)) {
            return bytes;
        }
        ByteBuf copy = allocator.directBuffer(bytes.readableBytes());
        copy.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        bytes.release();
        return copy;
    }

    /** Whether the kernel may still read what is being sent. */
    boolean isUnderWay() {
        return operation != 0;
    }

    /** Sends what is flushed, unless a send is under way: then it follows. */
    void send(ChannelOutboundBuffer out) throws Exception {
        if (operation != 0) {
            return;
        }
        ByteBuf first = (ByteBuf) out.current();
        if (out.size() == 1 && first.nioBufferCount() == 1) {
            operation = submit(first);
        } else {
            SendVector several = vector;
            if (several == null) {
                several = new SendVector();
                vector = several;
            }
            operation = registration.submit(Op.sendMessage(socket, several.fill(out)));
        }
        from = out;
    }

    private long submit(ByteBuf bytes) {
        int length = bytes.readableBytes();
        long address = addressOf(bytes, bytes.readerIndex(), length);
        IoRegistration inner = direct;
        // Not one call for both: where only one of two callees takes an object, it is made for both.
        return inner != null
                ? inner.submit(Op.send(socket, address, length))
                : registration.submit(Op.send(socket, address, length));
    }

    /** Where {@code length} bytes of a direct buffer begin. */
    static long addressOf(ByteBuf bytes, int index, int length) {
        if (bytes.hasMemoryAddress()) {
            return bytes.memoryAddress() + index;
        }
        ByteBuffer view = bytes.internalNioBuffer(index, length);
        return Buffer.memoryAddress(view) + view.position();
    }

    /** The send has ended. */
    void end() {
        operation = 0;
        from = null;
        List<ByteBuf> unread = kept;
        if (unread != null) {
            kept = null;
            unread.forEach(ByteBuf::release);
        }
    }

    /** What isn't sent yet is given up, and released by its owner before the kernel is through with it. */
    void stop() throws Exception {
        ChannelOutboundBuffer out = from;
        if (operation != 0 && out != null) {
            List<ByteBuf> unread = new ArrayList<>();
            out.forEachFlushedMessage(message -> unread.add(((ByteBuf) message).retain()));
            kept = unread;
            cancel();
        }
    }

    /** Ends the send that is under way, as soon as the kernel can. */
    void cancel() {
        if (operation != 0) {
            registration.submit(Op.cancel(operation));
        }
    }

    /** The connection is closed. */
    void release() {
        SendVector several = vector;
        if (several != null) {
            vector = null;
            several.release();
        }
    }
}
