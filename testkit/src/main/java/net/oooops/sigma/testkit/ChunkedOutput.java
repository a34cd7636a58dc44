package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Frames what is written as chunks of one size (RFC 9112 section 7.1), each handed on in one write. */
final class ChunkedOutput extends OutputStream {
    private static final int SIZE_LINE_BYTES_MAX = 10;

    private final OutputStream out;
    private final byte[] frame;
    private final int chunkBytes;
    private int filled;

    ChunkedOutput(OutputStream out, int chunkBytes) {
        if (chunkBytes < 1) {
            throw new IllegalArgumentException("chunkBytes: " + chunkBytes + " (expected: >= 1)");
        }
        this.out = out;
        this.chunkBytes = chunkBytes;
        this.frame = new byte[SIZE_LINE_BYTES_MAX + chunkBytes + 2];
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            int step = Math.min(left, chunkBytes - filled);
            System.arraycopy(bytes, from, frame, SIZE_LINE_BYTES_MAX + filled, step);
            filled += step;
            from += step;
            left -= step;
            if (filled == chunkBytes) {
                flush();
            }
        }
    }

    /** Ends the chunk that is being filled, if it has any bytes. */
    @Override
    public void flush() throws IOException {
        if (filled == 0) {
            return;
        }
        byte[] sizeLine = Wire.latin1(Integer.toHexString(filled) + "\r\n");
        int start = SIZE_LINE_BYTES_MAX - sizeLine.length;
        System.arraycopy(sizeLine, 0, frame, start, sizeLine.length);
        int end = SIZE_LINE_BYTES_MAX + filled;
        frame[end] = '\r';
        frame[end + 1] = '\n';
        filled = 0;
        out.write(frame, start, end + 2 - start);
    }

    /** Writes the last chunk and the trailers. */
    void finish(List<Header> trailers) throws IOException {
        flush();
        var text = new StringBuilder("0\r\n");
        trailers.forEach(trailer -> text.append(trailer).append("\r\n"));
        out.write(Wire.latin1(text.append("\r\n").toString()));
    }
}
