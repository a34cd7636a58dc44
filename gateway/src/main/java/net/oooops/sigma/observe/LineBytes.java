package net.oooops.sigma.observe;

import java.nio.charset.StandardCharsets;

/** Pieces of lines as bytes. */
final class LineBytes {
    private LineBytes() {}

    /** The bytes of {@code text}, which is US-ASCII. */
    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes {@code piece} to {@code at} and returns the position after it. */
    static int put(byte[] piece, byte[] out, int at) {
        System.arraycopy(piece, 0, out, at, piece.length);
        return at + piece.length;
    }

    /** Writes the beginning of a text in UTF-8 to {@code at} and returns the position after it: whole characters, as many as there is room for. */
    static int putUtf8(String text, int charsMax, byte[] out, int at, int bytesMax) {
        int length = Math.min(text.length(), charsMax);
        int limit = at + bytesMax;
        int end = at;
        for (int i = 0; i < length; i++) {
            int point = text.codePointAt(i);
            i += Character.charCount(point) - 1;
            int bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (end + bytes > limit) {
                return end;
            }
            putPoint(point, bytes, out, end);
            end += bytes;
        }
        return end;
    }

    private static void putPoint(int point, int bytes, byte[] out, int at) {
        if (bytes == 1) {
            out[at] = (byte) point;
            return;
        }
        int rest = point;
        for (int i = at + bytes - 1; i > at; i--) {
            out[i] = (byte) (0x80 | (rest & 0x3F));
            rest >>= 6;
        }
        out[at] = (byte) (((0xF00 >> bytes) & 0xFF) | rest);
    }
}
