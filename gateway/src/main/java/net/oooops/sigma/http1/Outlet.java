package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.memory.WriteBound;
import org.jspecify.annotations.Nullable;

/**
 * The way out of one connection: gathers what is small into one buffer, so that a head and a short body leave in one write,
 * and passes large slices on as they are.
 *
 * <p>Called on the connection's event loop only. Nothing leaves before {@link #flush}.
 */
final class Outlet {
    /** A slice up to this size is copied: cheaper than a second buffer in the write. */
    private static final int COPY_BYTES_MAX = 4096;

    private static final int TAIL_BYTES_MIN = 512;
    /** Sixteen digits and CRLF before a chunk, CRLF after it, the last chunk and its CRLF. */
    private static final int CHUNK_FRAME_BYTES = 32;

    /** Netty counts so much for an entry of what waits, beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    private static final byte[] LAST_CHUNK = Octets.ascii("0\r\n");
    private static final byte[] HEX = Octets.ascii("0123456789abcdef");

    private final Channel channel;
    private final WriteBound bound;
    private @Nullable ByteBuf tail;
    private boolean unflushed;
    private long writtenBytes;
    /** As Netty counts what waits. */
    private long emittedBytes;

    /**
     * The way out of {@code channel}.
     *
     * @param memory of the Worker
     * @param bytesMax no more than about that many bytes wait to be sent before {@link #isWritable} says so, and none where memory is short
     */
    Outlet(Channel channel, RelayMemory memory, int bytesMax) {
        this.channel = channel;
        this.bound = new WriteBound(memory, channel, bytesMax);
    }

    /** How many bytes were written since this was last asked. */
    long takeWrittenBytes() {
        long taken = writtenBytes;
        writtenBytes = 0;
        return taken;
    }

    /** Whether more may be written: not more is waiting than the connection's high-water mark, nor since the last {@link #flush}. */
    boolean isWritable() {
        return channel.isWritable() && !bound.isFull();
    }

    /** A figure that grows with each byte that leaves. */
    long sentBytes() {
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
    void head(HeadWriter head, long bodyBytesHint) {
        int follow = (int) Math.min(bodyBytesHint, COPY_BYTES_MAX) + CHUNK_FRAME_BYTES;
        head.copyTo(room(head.length(), head.length() + follow));
        writtenBytes += head.length();
    }

    /** Writes the next {@code count} bytes of {@code in}, and moves over them. */
    void content(ByteBuf in, int count) {
        writtenBytes += count;
        if (count <= COPY_BYTES_MAX) {
            room(count, count).writeBytes(in, count);
        } else {
            emitTail();
            emit(in.readRetainedSlice(count));
        }
    }

    /** Writes prepared bytes. */
    void content(byte[] prepared, int length) {
        writtenBytes += length;
        room(length, length).writeBytes(prepared, 0, length);
    }

    /** Writes the next {@code bytes} bytes of {@code in} as one chunk (RFC 9112 section 7.1); none are no chunk. */
    void chunk(ByteBuf in, int bytes) {
        if (bytes == 0) {
            return;
        }
        int digits = (35 - Integer.numberOfLeadingZeros(bytes)) / 4;
        ByteBuf frame = room(digits + 2, CHUNK_FRAME_BYTES + Math.min(bytes, COPY_BYTES_MAX));
        for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
            frame.writeByte(HEX[bytes >>> shift & 0xF]);
        }
        frame.writeByte(Octets.CR).writeByte(Octets.LF);
        content(in, bytes);
        room(2, CHUNK_FRAME_BYTES).writeByte(Octets.CR).writeByte(Octets.LF);
        writtenBytes += digits + 4L;
    }

    /** Ends a chunked body. */
    void lastChunk(@Nullable Trailers trailers, HeadWriter scratch) {
        scratch.begin().append(LAST_CHUNK);
        if (trailers != null) {
            scratch.fields(trailers);
        }
        scratch.end();
        scratch.copyTo(room(scratch.length(), scratch.length()));
        writtenBytes += scratch.length();
    }

    /** Sends what was written. */
    void flush() {
        emitTail();
        if (unflushed) {
            unflushed = false;
            bound.flushed();
            channel.flush();
        }
    }

    /** Gives up what wasn't handed over yet. */
    void release() {
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
