package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.oooops.sigma.http.BodyParts;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a body that can't go on yet. Bounded from outside: whoever fills it stops reading at once, so that it holds what
 * one read brought, or collects up to a named bound.
 *
 * <p>Once gathered it is an array of its own: a plugin that still looks at it while the exchange ends elsewhere must not see
 * memory that has become another's.
 */
final class BodyQueue {
    private static final int PIECE_BYTES_MAX = 64 * 1024;

    private static final byte[] NOTHING = new byte[0];

    private final BodyParts parts = new BodyParts();
    private byte @Nullable [] whole;
    /** What of it has gone on. */
    private int wholeFrom;

    /** Takes so many bytes out of what was received. */
    void add(ByteBuf in, int count) {
        parts.add(in, count);
    }

    /** Puts bytes before what there is, which isn't gathered or has begun to go on. */
    void putBack(byte[] first) {
        byte[] rest = whole;
        if (rest == null) {
            parts.addFirst(first);
            return;
        }
        int left = rest.length - wholeFrom;
        byte[] all = Arrays.copyOf(first, first.length + left);
        System.arraycopy(rest, wholeFrom, all, first.length, left);
        whole = all;
        wholeFrom = 0;
    }

    /** The next part, which is the caller's then, or null. */
    @Nullable ByteBuf poll() {
        byte[] gathered = whole;
        return gathered == null ? parts.poll() : piece(gathered);
    }

    private @Nullable ByteBuf piece(byte[] gathered) {
        int from = wholeFrom;
        int count = Math.min(gathered.length - from, PIECE_BYTES_MAX);
        wholeFrom += count;
        if (wholeFrom == gathered.length) {
            dropWhole();
        }
        return count == 0 ? null : Unpooled.wrappedBuffer(gathered, from, count);
    }

    private void dropWhole() {
        whole = null;
        wholeFrom = 0;
    }

    /** How many bytes are held. */
    long bytes() {
        byte[] gathered = whole;
        return gathered == null ? parts.bytes() : gathered.length - wholeFrom;
    }

    /** How much memory is held for them; at most twice of it really is. */
    long heldBytes() {
        byte[] gathered = whole;
        return gathered == null ? parts.heldBytes() : gathered.length;
    }

    /** Whether plugins may see it. */
    boolean isGathered() {
        return whole != null && wholeFrom == 0;
    }

    /** The body is complete: copies its parts into one. */
    void gather() {
        int length = (int) parts.bytes();
        byte[] all = length == 0 ? NOTHING : new byte[length];
        int at = 0;
        for (ByteBuf part = parts.poll(); part != null; part = parts.poll()) {
            int count = part.readableBytes();
            part.readBytes(all, at, count);
            part.release();
            at += count;
        }
        whole = all;
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
    }

    /** Gives everything up, unless it was gathered and a plugin may still look at it. */
    void clear(boolean heldByPlugin) {
        parts.clear();
        if (whole == null || !heldByPlugin) {
            dropWhole();
        }
    }
}
