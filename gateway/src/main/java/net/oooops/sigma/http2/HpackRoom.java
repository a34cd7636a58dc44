package net.oooops.sigma.http2;

import java.util.Arrays;

/** Where Huffman-coded strings are decoded to: for all connections of a Worker, one field at a time. Called on one event loop only. */
final class HpackRoom {
    private static final int BYTES_FIRST = 1024;
    private static final int BYTES_KEPT = 64 << 10;

    private byte[] bytes = new byte[BYTES_FIRST];
    private int length;

    /** Another field begins: what was there is over. */
    void clear() {
        length = 0;
        if (bytes.length > BYTES_KEPT) {
            bytes = new byte[BYTES_FIRST];
        }
    }

    /** Room for {@code count} bytes behind those that there are, which stay where they are in the array that this gives. */
    byte[] ensure(int count) {
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
        return bytes;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** So many bytes are there now. */
    void length(int now) {
        length = now;
    }

    /** Puts a copy behind what there is; returns where it begins. */
    int add(byte[] from, int start, int end) {
        int at = length;
        System.arraycopy(from, start, ensure(end - start), at, end - start);
        length += end - start;
        return at;
    }
}
