package net.oooops.sigma.observe;

/**
 * Bytes that could end a quoted text or a line, or that not every reader of a log takes for the same character, written as plain
 * ASCII. Works in place, since nearly always there is nothing to do.
 */
final class Escaping {
    /** As nginx: {@code \xXX} for quote, backslash, control characters and everything from 0x7F on. */
    static final Escaping NGINX = new Escaping(3, 3, false);
    /** As RFC 8259: {@code \"}, {@code \\}, and {@code u00XX} after a backslash for control characters and everything from 0x7F on. */
    static final Escaping JSON = new Escaping(1, 5, true);

    private static final byte[] HEX = LineBytes.of("0123456789ABCDEF");
    private static final int NAMED = 1;
    private static final int ASCII_PRINTABLE_END = 0x7F;

    /** How many more bytes the escaped form of a byte has. */
    private final byte[] growth = new byte[256];

    private final boolean unicode;

    private Escaping(int punctuationGrowth, int othersGrowth, boolean unicode) {
        for (int b = 0; b < growth.length; b++) {
            if (b < ' ' || b >= ASCII_PRINTABLE_END) {
                growth[b] = (byte) othersGrowth;
            }
        }
        growth['"'] = (byte) punctuationGrowth;
        growth['\\'] = (byte) punctuationGrowth;
        this.unicode = unicode;
    }

    /** Escapes {@code bytes[start, end)}, moving what stands there apart, and returns the new end. */
    int apply(byte[] bytes, int start, int end) {
        int more = 0;
        for (int i = start; i < end; i++) {
            more += growth[bytes[i] & 0xFF];
        }
        if (more > 0) {
            moveApart(bytes, end, more);
        }
        return end + more;
    }

    /** From the end backwards, until the part before needs no moving. */
    private void moveApart(byte[] bytes, int end, int more) {
        int from = end;
        int to = end + more;
        while (to > from) {
            byte b = bytes[--from];
            int size = 1 + growth[b & 0xFF];
            to -= size;
            if (size == 1) {
                bytes[to] = b;
            } else {
                putEscape(b, size, bytes, to);
            }
        }
    }

    private void putEscape(byte b, int size, byte[] bytes, int at) {
        bytes[at] = '\\';
        if (size == 1 + NAMED) {
            bytes[at + 1] = b;
            return;
        }
        bytes[at + 1] = (byte) (unicode ? 'u' : 'x');
        if (unicode) {
            bytes[at + 2] = '0';
            bytes[at + 3] = '0';
        }
        bytes[at + size - 2] = HEX[b >> 4 & 0xF];
        bytes[at + size - 1] = HEX[b & 0xF];
    }

    /** Writes a character of a JSON text to {@code at} and returns the position after it. */
    static int putJson(char c, byte[] out, int at) {
        if (c < ASCII_PRINTABLE_END) {
            out[at] = (byte) c;
            return JSON.apply(out, at, at + 1);
        }
        out[at] = '\\';
        out[at + 1] = 'u';
        out[at + 2] = HEX[c >> 12];
        out[at + 3] = HEX[c >> 8 & 0xF];
        out[at + 4] = HEX[c >> 4 & 0xF];
        out[at + 5] = HEX[c & 0xF];
        return at + 6;
    }
}
