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
}
