package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a body that can't go on yet, in their order. Small ones are copied together, so that a few bytes don't keep the whole buffer
 * that they were received in.
 *
 * <p>Called on one event loop only.
 */
public final class BodyParts {
    /** So much is copied, and more where it is less than half of what was received with it: a slice would keep all of that. */
    private static final int COPY_BYTES_MAX = 4096;

    private static final int ROOM_BYTES = 2 * COPY_BYTES_MAX;

    private @Nullable ArrayDeque<ByteBuf> parts;
    private long bytes;
    private long heldBytes;
    /** The last of the parts, where it is a copy with room left. */
    private @Nullable ByteBuf room;

    /** No parts yet. */
    public BodyParts() {}

    /** Takes so many bytes out of what was received. */
    public void add(ByteBuf in, int count) {
        bytes += count;
        if (count > COPY_BYTES_MAX && 2L * count >= in.capacity()) {
            room = null;
            heldBytes += count;
            queue().add(in.readRetainedSlice(count));
            return;
        }
        ByteBuf copies = room;
        if (copies == null || copies.writableBytes() < count) {
            int size = Math.max(count, ROOM_BYTES);
            copies = in.alloc().directBuffer(size, size);
            heldBytes += size;
            room = copies;
            queue().add(copies);
        }
        copies.writeBytes(in, count);
    }

    /** Puts bytes before what there is. */
    public void addFirst(byte[] first) {
        queue().addFirst(Unpooled.wrappedBuffer(first));
        bytes += first.length;
        heldBytes += first.length;
    }

    /** Takes a copy of prepared bytes. */
    public void add(byte[] prepared, int count) {
        room = null;
        queue().add(Unpooled.copiedBuffer(prepared, 0, count));
        bytes += count;
        heldBytes += count;
    }

    /** Whether there are any. */
    public boolean isWaiting() {
        return bytes > 0;
    }

    private ArrayDeque<ByteBuf> queue() {
        ArrayDeque<ByteBuf> queue = parts;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            parts = queue;
        }
        return queue;
    }

    /** The next part, which is the caller's then, or null. */
    public @Nullable ByteBuf poll() {
        ByteBuf next = parts == null ? null : parts.poll();
        if (next != null) {
            bytes -= next.readableBytes();
            heldBytes -= next.capacity();
            room = null;
        }
        return next;
    }

    /** The next part, or null; {@link #moved} has to be told of what is read of it. */
    public @Nullable ByteBuf peek() {
        return parts == null ? null : parts.peek();
    }

    /** So many bytes of the next part were read; one that is read to its end is given up. */
    public void moved(int count) {
        bytes -= count;
        ByteBuf next = peek();
        if (next != null && !next.isReadable() && parts != null) {
            parts.poll();
            heldBytes -= next.capacity();
            room = null;
            next.release();
        }
    }

    /** How many bytes there are. */
    public long bytes() {
        return bytes;
    }

    /** How much memory is held for them; at most twice of it really is. */
    public long heldBytes() {
        return heldBytes;
    }

    /** Gives everything up. */
    public void clear() {
        for (ByteBuf part = poll(); part != null; part = poll()) {
            part.release();
        }
    }
}
