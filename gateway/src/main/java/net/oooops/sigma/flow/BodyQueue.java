package net.oooops.sigma.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a body that can't go on yet. Bounded from outside: whoever fills it stops reading at once, so that it holds what
 * one read brought, or collects up to a named bound.
 *
 * <p>Once gathered it is an array of its own: a plugin that still looks at it while the exchange ends elsewhere must not see
 * memory that has become another's.
 */
final class BodyQueue {
    /** A slice up to this size is copied: it would keep the whole receive buffer it lies in. */
    private static final int COPY_BYTES_MAX = 4096;

    private static final int ROOM_BYTES = 2 * COPY_BYTES_MAX;

    private @Nullable ArrayDeque<ByteBuf> parts;
    private byte @Nullable [] whole;
    private long bytes;
    /** The last of the parts, where it is a copy with room left. */
    private @Nullable ByteBuf room;

    /** Takes the slice over. */
    void add(ByteBuf slice) {
        ArrayDeque<ByteBuf> queue = parts;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            parts = queue;
        }
        int count = slice.readableBytes();
        bytes += count;
        if (count > COPY_BYTES_MAX) {
            room = null;
            queue.add(slice);
            return;
        }
        ByteBuf copies = room;
        if (copies == null || copies.writableBytes() < count) {
            copies = slice.alloc().directBuffer(ROOM_BYTES, ROOM_BYTES);
            room = copies;
            queue.add(copies);
        }
        copies.writeBytes(slice);
        slice.release();
    }

    /** The next part, which is the caller's then, or null. */
    @Nullable ByteBuf poll() {
        byte[] gathered = whole;
        if (gathered != null) {
            whole = null;
            bytes = 0;
            return gathered.length == 0 ? null : Unpooled.wrappedBuffer(gathered);
        }
        ByteBuf next = parts == null ? null : parts.poll();
        if (next != null) {
            bytes -= next.readableBytes();
            room = null;
        }
        return next;
    }

    /** How many bytes are held. */
    long bytes() {
        return bytes;
    }

    /** Whether plugins may see it. */
    boolean isGathered() {
        return whole != null;
    }

    /** The body is complete: copies its parts into one. */
    void gather() {
        byte[] all = new byte[(int) bytes];
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
    }

    /** What was gathered, read-only; empty where nothing was, or it has gone on. */
    ByteBuffer gathered() {
        byte[] all = whole;
        return ByteBuffer.wrap(all == null ? new byte[0] : all).asReadOnlyBuffer();
    }

    /** Holds a copy of {@code content} instead of what was gathered. */
    void replace(ByteBuffer content) {
        byte[] copy = new byte[content.remaining()];
        content.duplicate().get(copy);
        whole = copy;
        bytes = copy.length;
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
            whole = null;
            bytes = 0;
        }
    }
}
