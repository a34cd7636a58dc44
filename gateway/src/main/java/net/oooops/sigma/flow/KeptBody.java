package net.oooops.sigma.flow;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** A copy of what was sent of a request's body, up to a bound, to be sent again. */
final class KeptBody {
    private static final int FIRST_BYTES = 512;

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
