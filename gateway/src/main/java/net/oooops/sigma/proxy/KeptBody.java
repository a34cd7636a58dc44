package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import net.oooops.sigma.http.BodySink;

/** A copy of what was sent of a request's body, up to a bound, to be sent again. */
final class KeptBody {
    private static final int FIRST_BYTES = 512;
    private static final int PIECE_BYTES_MAX = 16 * 1024;

    /** What all such copies of a Worker may take together: where it is used up, no more is kept. */
    static final class Room {
        private long leftBytes;

        Room(long bytes) {
            this.leftBytes = bytes;
        }

        private boolean take(int bytes) {
            if (bytes > leftBytes) {
                return false;
            }
            leftBytes -= bytes;
            return true;
        }

        private void giveBack(int bytes) {
            leftBytes += bytes;
        }
    }

    private final Room room;
    private final int bytesMax;
    private byte[] bytes = {};
    private int count;
    private boolean whole = true;

    KeptBody(Room room, int bytesMax) {
        this.room = room;
        this.bytesMax = bytesMax;
    }

    /** Copies the next bytes; {@code in} stays where it is. Beyond the bound nothing is kept any more. */
    void add(ByteBuf in, int more) {
        if (!whole) {
            return;
        }
        int size = bytes.length - count >= more
                ? bytes.length
                : Math.max(Math.max(FIRST_BYTES, count + more), Math.min(bytesMax, 2 * bytes.length));
        if (more > bytesMax - count || !room.take(size - bytes.length)) {
            whole = false;
            drop();
            return;
        }
        if (size > bytes.length) {
            bytes = Arrays.copyOf(bytes, size);
        }
        in.getBytes(in.readerIndex(), bytes, count, more);
        count += more;
    }

    /** Writes what is here from there on, as long as it is taken, and keeps it. Returns up to where. */
    int writeTo(BodySink to, int from) {
        int at = from;
        while (at < count && to.isWritable()) {
            // Nobody writes to what is wrapped: what is added comes behind it, or goes to a copy.
            ByteBuf piece = Unpooled.wrappedBuffer(bytes, at, Math.min(count - at, PIECE_BYTES_MAX));
            int length = piece.readableBytes();
            try {
                to.content(piece, length);
            } finally {
                piece.release();
            }
            at += length;
            if (!to.isWritable()) {
                to.flush();
            }
        }
        return at;
    }

    /** Whether all of it is here. */
    boolean isWhole() {
        return whole;
    }

    /** A copy of what is here; nothing is, then. */
    byte[] take() {
        byte[] taken = Arrays.copyOf(bytes, count);
        count = 0;
        return taken;
    }

    /** Gives up what is here. */
    void drop() {
        room.giveBack(bytes.length);
        bytes = new byte[0];
        count = 0;
    }
}
