package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The way out of one connection: gathers frames into one buffer, so that all those of one turn of the event loop leave in one
 * write, and passes long ones on as they are. Nothing leaves before {@link #flush}.
 */
final class FrameOutlet {
    /**
     * A frame up to this size is copied: cheaper than a buffer more in the write. A longer one is, too, where it is less than half of the buffer
     * that it came in, all of which would be kept until it is sent.
     */
    private static final int COPY_BYTES_MAX = 4096;

    private static final int TAIL_BYTES_MIN = 512;
    private static final int TAIL_BYTES_MAX = 64 << 10;

    private final Channel channel;
    private final FrameWriter writer;
    private @Nullable ByteBuf tail;
    /** What the last tails came to, so that the next one is about that large. */
    private int tailBytes = TAIL_BYTES_MIN;

    private long writtenBytes;

    FrameOutlet(Channel channel, FrameWriter writer) {
        this.channel = channel;
        this.writer = writer;
    }

    /** Writes a frame of another connection's with another id. Its bytes may be changed in place where they are. */
    void frame(ByteBuf in, Frame frame, int id) {
        int count = frame.bytes();
        int from = frame.start();
        writtenBytes += count;
        if (count <= COPY_BYTES_MAX || 2L * count < in.capacity()) {
            ByteBuf out = room(count);
            int start = out.writerIndex();
            copy(in, from, out, count);
            writer.setId(out, start, frame, id);
        } else {
            emitTail();
            writer.setId(in, from, frame, id);
            channel.write(in.retainedSlice(from, count), channel.voidPromise());
        }
    }

    /** The same as writeBytes, by views that the buffers keep: between direct ones that makes a new one for each call. */
    private static void copy(ByteBuf in, int from, ByteBuf out, int count) {
        int at = out.writerIndex();
        out.internalNioBuffer(at, count).put(in.internalNioBuffer(from, count));
        out.writerIndex(at + count);
    }

    /** Writes a response of Sigma's own. */
    void response(Correlation asked, Status status) {
        ByteBuf out = room(FrameWriter.OWN_BYTES_MAX);
        int start = out.writerIndex();
        writer.response(out, asked, status);
        writtenBytes += out.writerIndex() - start;
    }

    /** Writes a heartbeat. */
    void heartbeat(FrameForm form, int id) {
        ByteBuf out = room(FrameWriter.OWN_BYTES_MAX);
        int start = out.writerIndex();
        writer.heartbeat(out, form, id);
        writtenBytes += out.writerIndex() - start;
    }

    /** How many bytes were written since it was made, sent or not. */
    long writtenBytes() {
        return writtenBytes;
    }

    /** How many bytes wait to be sent, what each write costs beside its bytes included. */
    long unsentBytes() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return gatheredBytes() + (waiting == null ? 0 : waiting.totalPendingWriteBytes());
    }

    /** How many of them the channel doesn't know of yet. */
    int gatheredBytes() {
        ByteBuf last = tail;
        return last == null ? 0 : last.readableBytes();
    }

    /** Sends what was written. */
    void flush() {
        emitTail();
        channel.flush();
    }

    /** Gives up what wasn't handed over yet. */
    void release() {
        ByteBuf last = tail;
        if (last != null) {
            tail = null;
            last.release();
        }
    }

    private ByteBuf room(int bytes) {
        ByteBuf last = tail;
        if (last != null && last.writableBytes() >= bytes) {
            return last;
        }
        if (last != null) {
            tailBytes = Math.min(tailBytes * 2, TAIL_BYTES_MAX);
        }
        emitTail();
        ByteBuf fresh = channel.alloc().directBuffer(Math.max(bytes, tailBytes));
        tail = fresh;
        return fresh;
    }

    private void emitTail() {
        ByteBuf last = tail;
        if (last != null) {
            tail = null;
            if (last.readableBytes() < tailBytes / 4) {
                tailBytes = Math.max(tailBytes / 2, TAIL_BYTES_MIN);
            }
            channel.write(last, channel.voidPromise());
        }
    }
}
