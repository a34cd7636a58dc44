package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a body that can't go on yet. Bounded from outside: whoever fills it stops reading at once, so that it holds what
 * one read brought, or collects up to a named bound.
 *
 * <p>Once gathered it is an array of its own: a plugin that still looks at it while the exchange ends elsewhere must not see
 * memory that has become another's.
 */
final class BodyQueue {
    /** So much is copied, and more where it is less than half of what was received with it: a slice would keep all of that. */
    private static final int COPY_BYTES_MAX = 4096;

    private static final int ROOM_BYTES = 2 * COPY_BYTES_MAX;
    private static final int PIECE_BYTES_MAX = 64 * 1024;

    private static final byte[] NOTHING = new byte[0];

    private @Nullable ArrayDeque<ByteBuf> parts;
    private byte @Nullable [] whole;
    /** What of it has gone on. */
    private int wholeFrom;

    private long bytes;
    private long heldBytes;
    /** The last of the parts, where it is a copy with room left. */
    private @Nullable ByteBuf room;

    /** Takes so many bytes out of what was received. */
    void add(ByteBuf in, int count) {
        ArrayDeque<ByteBuf> queue = parts;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            parts = queue;
        }
        bytes += count;
        if (count > COPY_BYTES_MAX && 2L * count >= in.capacity()) {
            room = null;
            heldBytes += count;
            queue.add(in.readRetainedSlice(count));
            return;
        }
        ByteBuf copies = room;
        if (copies == null || copies.writableBytes() < count) {
            int size = Math.max(count, ROOM_BYTES);
            copies = in.alloc().directBuffer(size, size);
            heldBytes += size;
            room = copies;
            queue.add(copies);
        }
        copies.writeBytes(in, count);
    }

    /** Puts bytes before what there is, which isn't gathered or has begun to go on. */
    void putBack(byte[] first) {
        byte[] rest = whole;
        if (rest != null) {
            int left = rest.length - wholeFrom;
            byte[] all = Arrays.copyOf(first, first.length + left);
            System.arraycopy(rest, wholeFrom, all, first.length, left);
            whole = all;
            wholeFrom = 0;
            bytes = all.length;
            heldBytes = all.length;
            return;
        }
        if (parts == null) {
            parts = new ArrayDeque<>(2);
        }
        parts.addFirst(Unpooled.wrappedBuffer(first));
        bytes += first.length;
        heldBytes += first.length;
    }

    /** The next part, which is the caller's then, or null. */
    @Nullable ByteBuf poll() {
        byte[] gathered = whole;
        if (gathered != null) {
            return piece(gathered);
        }
        ByteBuf next = parts == null ? null : parts.poll();
        if (next != null) {
            bytes -= next.readableBytes();
            heldBytes -= next.capacity();
            room = null;
        }
        return next;
    }

    private @Nullable ByteBuf piece(byte[] gathered) {
        int from = wholeFrom;
        int count = Math.min(gathered.length - from, PIECE_BYTES_MAX);
        wholeFrom += count;
        bytes -= count;
        if (wholeFrom == gathered.length) {
            dropWhole();
        }
        return count == 0 ? null : Unpooled.wrappedBuffer(gathered, from, count);
    }

    private void dropWhole() {
        whole = null;
        wholeFrom = 0;
        bytes = 0;
        heldBytes = 0;
    }

    /** How many bytes are held. */
    long bytes() {
        return bytes;
    }

    /** How much memory is held for them; at most twice of it really is. */
    long heldBytes() {
        return heldBytes;
    }

    /** Whether plugins may see it. */
    boolean isGathered() {
        return whole != null && wholeFrom == 0;
    }

    /** The body is complete: copies its parts into one. */
    void gather() {
        byte[] all = bytes == 0 ? NOTHING : new byte[(int) bytes];
        int at = 0;
        ArrayDeque<ByteBuf> queue = parts;
        if (queue != null) {
            for (ByteBuf part : queue) {
                int count = part.readableBytes();
                part.readBytes(all, at, count);
                part.release();
                at += count;
            }
            queue.clear();
            room = null;
        }
        whole = all;
        heldBytes = all.length;
    }

    /** What was gathered, read-only; empty where nothing was, or it has gone on. */
    ByteBuffer gathered() {
        byte[] all = isGathered() ? whole : null;
        return ByteBuffer.wrap(all == null ? NOTHING : all).asReadOnlyBuffer();
    }

    /** Holds a copy of {@code content} instead of what was gathered. */
    void replace(ByteBuffer content) {
        byte[] copy = new byte[content.remaining()];
        content.duplicate().get(copy);
        whole = copy;
        bytes = copy.length;
        heldBytes = copy.length;
    }

    /** Gives everything up, unless it was gathered and a plugin may still look at it. */
    void clear(boolean heldByPlugin) {
        ArrayDeque<ByteBuf> queue = parts;
        if (queue != null) {
            for (ByteBuf part : queue) {
                part.release();
            }
            queue.clear();
            room = null;
        }
        if (whole == null || !heldByPlugin) {
            dropWhole();
        }
    }
}
