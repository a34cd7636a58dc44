package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.memory.WriteBound;
import org.jspecify.annotations.Nullable;

/**
 * The way out of one connection: gathers what is small into one buffer, so that a head and a short body leave in one write,
 * and passes large slices on as they are.
 *
 * <p>Called on the connection's event loop only. Nothing leaves before {@link #flush}.
 */
public final class Outlet {
    /** A slice up to this size is copied: cheaper than a second buffer in the write. */
    public static final int COPY_BYTES_MAX = 4096;

    private static final int TAIL_BYTES_MIN = 512;
    /** More than any framing of a body's parts takes. */
    public static final int FRAME_BYTES = 32;

    /** Netty counts so much for an entry of what waits, beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    private final Channel channel;
    private final WriteBound bound;
    private @Nullable ByteBuf tail;
    private boolean unflushed;
    private long writtenBytes;
    /** As Netty counts what waits. */
    private long emittedBytes;
    /** A part of a file is on its way, and who writes hasn't been told that it has left. */
    private boolean sendingFile;
    /** It is with the channel. */
    private boolean fileUnsent;

    /** Made with the first one. */
    private @Nullable Runnable fileSent;

    /**
     * The way out of {@code channel}.
     *
     * @param memory of the Worker
     * @param bytesMax no more than about that many bytes wait to be sent before {@link #isWritable} says so, and none where memory is short
     */
    public Outlet(Channel channel, RelayMemory memory, int bytesMax) {
        this.channel = channel;
        this.bound = new WriteBound(memory, channel, bytesMax);
    }

    /** How many bytes were written since this was last asked. */
    public long takeWrittenBytes() {
        long taken = writtenBytes;
        writtenBytes = 0;
        return taken;
    }

    /** Whether more may be written: not more is waiting than the connection's high-water mark, nor since the last {@link #flush}. */
    public boolean isWritable() {
        return isTaking() && !bound.isFull();
    }

    /** Whether the channel takes more: neither too many bytes nor a part of a file wait to be sent. */
    public boolean isTaking() {
        return channel.isWritable() && !sendingFile;
    }

    /** A figure that grows with each byte that leaves. */
    public long sentBytes() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return unsent == null
                ? emittedBytes
                : emittedBytes - unsent.totalPendingWriteBytes() + unsent.currentProgress();
    }

    /**
     * Writes a head.
     *
     * @param bodyBytesHint how many bytes of body are about to follow; room for as many as will be copied is made at once
     */
    public void head(HeadWriter head, long bodyBytesHint) {
        int follow = (int) Math.min(bodyBytesHint, COPY_BYTES_MAX) + FRAME_BYTES;
        head.copyTo(room(head.length(), head.length() + follow));
        writtenBytes += head.length();
    }

    /** Writes the next {@code count} bytes of {@code in}, and moves over them. */
    public void content(ByteBuf in, int count) {
        writtenBytes += count;
        if (count <= COPY_BYTES_MAX) {
            room(count, count).writeBytes(in, count);
        } else {
            emitTail();
            emit(in.readRetainedSlice(count));
        }
    }

    /** Writes prepared bytes. */
    public void content(byte[] prepared, int length) {
        writtenBytes += length;
        room(length, length).writeBytes(prepared, 0, length);
    }

    /**
     * Room for exactly {@code bytes} bytes, which the caller writes at once.
     *
     * @param wished how much room is made where there is none, for what is about to follow
     */
    public ByteBuf reserve(int bytes, int wished) {
        writtenBytes += bytes;
        return room(bytes, wished);
    }

    /**
     * Writes a part of a file, which the kernel sends without its being read here. One at a time: nothing is writable until it has left, of which
     * {@code channelWritabilityChanged} tells, in a turn of its own. Not for every transport, nor where the connection is encrypted.
     */
    public void file(KeptFile file, long position, long bytes) {
        emitTail();
        unflushed = true;
        sendingFile = true;
        fileUnsent = true;
        // Netty counts no bytes of it among those that wait, for it takes no memory.
        emittedBytes += ENTRY_BYTES;
        channel.write(new SentFile(this, file, position, bytes), channel.voidPromise());
    }

    /** It has left, or never will. */
    void left(SentFile part) {
        writtenBytes += part.transferred();
        emittedBytes += part.transferred();
        fileUnsent = false;
        if (part.isSent()) {
            Runnable told = fileSent == null ? this::fileSent : fileSent;
            fileSent = told;
            channel.eventLoop().execute(told);
        }
    }

    private void fileSent() {
        sendingFile = false;
        channel.pipeline().fireChannelWritabilityChanged();
    }

    /** Sends what was written. */
    public void flush() {
        emitTail();
        if (unflushed) {
            unflushed = false;
            boolean much = bound.flushing();
            channel.flush();
            if (much) {
                bound.flushed();
            }
            if (fileUnsent) {
                // Its client has to do something.
                channel.pipeline().fireChannelWritabilityChanged();
            }
        }
    }

    /** Whether something that was written isn't with the kernel yet. */
    public boolean hasUnsent() {
        return tail != null || RelayMemory.waitingOn(channel) > 0;
    }

    /** Gives up what wasn't handed over yet. */
    public void release() {
        ByteBuf last = tail;
        if (last != null) {
            tail = null;
            last.release();
        }
    }

    private ByteBuf room(int bytes, int wished) {
        ByteBuf last = tail;
        if (last != null && last.writableBytes() >= bytes) {
            return last;
        }
        emitTail();
        ByteBuf fresh = channel.alloc().directBuffer(Math.max(wished, TAIL_BYTES_MIN));
        tail = fresh;
        return fresh;
    }

    private void emitTail() {
        ByteBuf last = tail;
        if (last != null) {
            tail = null;
            emit(last);
        }
    }

    private void emit(ByteBuf out) {
        unflushed = true;
        int bytes = out.readableBytes();
        bound.writing(bytes);
        emittedBytes += bytes + ENTRY_BYTES;
        channel.write(out, channel.voidPromise());
    }
}
