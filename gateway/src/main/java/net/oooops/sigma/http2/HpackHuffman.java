package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;

/**
 * The Huffman code of RFC 7541 section 5.2 and appendix B. It is canonical: the lengths of its codes say all.
 *
 * <p>Decoding goes four bits at a time: no code is shorter than five, so that each step gives one byte at most.
 */
final class HpackHuffman {
    private static final int EOS = 256;
    private static final int STEPS = 16;
    private static final int BITS_PER_STEP = 4;
    private static final int LENGTH_MAX = 30;

    /** How long the code of each byte is, and that of the end (EOS), which none may have. */
    private static final byte[] LENGTHS = {
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, //
        28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, //
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, //
        7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, //
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, //
        7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, //
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, //
        23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, //
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, //
        21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, //
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30
    };

    private static final int[] CODES = codes();

    // A step: the next state, whether there is a byte, and which.
    private static final int HAS_BYTE = 1 << 8;
    private static final int STATE_SHIFT = 9;
    private static final int WRONG = -1;
    /** By state, then by the next four bits. */
    private static final int[] TABLE;
    /** Whether a string may end in that state: what is left is fewer than 8 bits, all ones. */
    private static final boolean[] MAY_END;

    static {
        int[] children = tree();
        TABLE = new int[children.length / 2 * STEPS];
        MAY_END = new boolean[children.length / 2];
        for (int state = 0; state < children.length / 2; state++) {
            for (int bits = 0; bits < STEPS; bits++) {
                TABLE[state * STEPS + bits] = step(children, state, bits);
            }
        }
        int state = 0;
        for (int bits = 0; bits < 8; bits++) {
            MAY_END[state] = true;
            state = children[state * 2 + 1];
        }
    }

    private HpackHuffman() {}

    private static int[] codes() {
        int[] codes = new int[LENGTHS.length];
        int code = 0;
        for (int length = 1; length <= LENGTH_MAX; length++) {
            code <<= 1;
            for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
                if (LENGTHS[symbol] == length) {
                    codes[symbol] = code++;
                }
            }
        }
        return codes;
    }

    /** Inner nodes, each two children: another node, or a symbol as its complement. */
    private static int[] tree() {
        int[] children = new int[2 * EOS];
        int nodes = 1;
        for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
            int node = 0;
            for (int bit = LENGTHS[symbol] - 1; bit > 0; bit--) {
                int at = node * 2 + ((CODES[symbol] >>> bit) & 1);
                if (children[at] == 0) {
                    children[at] = nodes++;
                }
                node = children[at];
            }
            children[node * 2 + (CODES[symbol] & 1)] = ~symbol;
        }
        return children;
    }

    private static int step(int[] children, int state, int bits) {
        int node = state;
        int found = 0;
        for (int bit = BITS_PER_STEP - 1; bit >= 0; bit--) {
            int next = children[node * 2 + ((bits >>> bit) & 1)];
            if (next == ~EOS) {
                return WRONG;
            }
            if (next < 0) {
                found = HAS_BYTE | ~next;
                next = 0;
            }
            node = next;
        }
        return (node << STATE_SHIFT) | found;
    }

    /**
     * Decodes {@code from[start, end)} behind what is in {@code room}.
     *
     * @return whether it is well-formed
     */
    static boolean decode(byte[] from, int start, int end, HpackRoom room) {
        byte[] to = room.ensure((end - start) * 8 / 5 + 1);
        int at = room.length();
        int state = 0;
        for (int i = start; i < end; i++) {
            int high = TABLE[state * STEPS + ((from[i] >>> BITS_PER_STEP) & 0xF)];
            if (high == WRONG) {
                return false;
            }
            if ((high & HAS_BYTE) != 0) {
                to[at++] = (byte) high;
            }
            int low = TABLE[(high >>> STATE_SHIFT) * STEPS + (from[i] & 0xF)];
            if (low == WRONG) {
                return false;
            }
            if ((low & HAS_BYTE) != 0) {
                to[at++] = (byte) low;
            }
            state = low >>> STATE_SHIFT;
        }
        room.length(at);
        return MAY_END[state];
    }

    /** How many bytes {@link #encode} writes. */
    static int encodedBytes(byte[] from, int start, int end) {
        long bits = 0;
        for (int i = start; i < end; i++) {
            bits += LENGTHS[from[i] & 0xFF];
        }
        return (int) ((bits + 7) >>> 3);
    }

    /** Writes {@code from[start, end)} in the code, filled up with ones. */
    static void encode(byte[] from, int start, int end, ByteBuf out) {
        long pending = 0;
        int count = 0;
        for (int i = start; i < end; i++) {
            int symbol = from[i] & 0xFF;
            pending = (pending << LENGTHS[symbol]) | CODES[symbol];
            count += LENGTHS[symbol];
            while (count >= 8) {
                count -= 8;
                out.writeByte((int) (pending >>> count));
            }
        }
        if (count > 0) {
            out.writeByte((int) ((pending << (8 - count)) | (0xFF >>> count)));
        }
    }
}
