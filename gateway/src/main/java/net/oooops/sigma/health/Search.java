package net.oooops.sigma.health;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** Looks for bytes in the first {@link Probe#BYTES_MAX} of what comes piece by piece. */
final class Search {
    private final byte[] wanted;
    private byte[] seen = new byte[256];
    private int count;
    private int looked;

    /** @param wanted at least one byte */
    Search(byte[] wanted) {
        this.wanted = wanted;
    }

    /** Takes the next piece; returns whether the bytes have been found. */
    boolean take(Buffer piece) {
        int taken = Math.min(piece.length(), Probe.BYTES_MAX - count);
        if (count + taken > seen.length) {
            seen = Arrays.copyOf(seen, Math.max(count + taken, Math.min(2 * seen.length, Probe.BYTES_MAX)));
        }
        piece.getBytes(0, taken, seen, count);
        count += taken;
        while (looked + wanted.length <= count) {
            if (Arrays.equals(seen, looked, looked + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
            looked++;
        }
        return false;
    }

    /** Whether nothing more is looked at. */
    boolean isFull() {
        return count == Probe.BYTES_MAX;
    }
}
