package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The header of a frame as SOFARPC writes it: keys and values in turn, each with its length in four bytes before it; one that
 * isn't there has a negative length, and its pair says nothing. Of a key that is there twice the last value counts, as for
 * SOFARPC's own reader. To Bolt itself a header is opaque: one that isn't such a map is as good as any other.
 *
 * <p>A view over the frame's bytes: it holds as long as they do.
 */
final class HeaderMap {
    private static final int LENGTH_BYTES = 4;

    private ByteBuf in = Unpooled.EMPTY_BUFFER;
    private int start;
    private int end;
    private boolean readable;
    private int valueStart;
    private int valueBytes;

    /**
     * Takes another header.
     *
     * @return whether it is such a map; one that isn't has no keys
     */
    public boolean read(ByteBuf frame, int headerStart, int headerBytes) {
        in = frame;
        start = headerStart;
        end = headerStart + headerBytes;
        readable = isMap();
        return readable;
    }

    /** Lets go of the frame. */
    public void clear() {
        in = Unpooled.EMPTY_BUFFER;
        readable = false;
    }

    private boolean isMap() {
        int at = start;
        int texts = 0;
        while (at < end) {
            if (end - at < LENGTH_BYTES) {
                return false;
            }
            int length = Math.max(0, in.getInt(at));
            at += LENGTH_BYTES;
            if (length > end - at) {
                return false;
            }
            at += length;
            texts++;
        }
        return (texts & 1) == 0;
    }

    /** Whether there is a value for that key; {@link #valueIs} and the others tell of it then. */
    public boolean seek(byte[] key) {
        boolean found = false;
        int at = readable ? start : end;
        while (at < end) {
            int keyBytes = in.getInt(at);
            int keyStart = at + LENGTH_BYTES;
            at = keyStart + Math.max(0, keyBytes);
            int length = in.getInt(at);
            if (keyBytes == key.length && length >= 0 && isAt(keyStart, key)) {
                found = true;
                valueStart = at + LENGTH_BYTES;
                valueBytes = length;
            }
            at += LENGTH_BYTES + Math.max(0, length);
        }
        return found;
    }

    private boolean isAt(int at, byte[] expected) {
        return Bytes.areAt(in, at, expected);
    }

    /** Whether the value found is that. */
    public boolean valueIs(byte[] expected) {
        return valueBytes == expected.length && isAt(valueStart, expected);
    }

    /** Whether the value found begins like that. */
    public boolean valueBegins(byte[] expected) {
        return valueBytes >= expected.length && isAt(valueStart, expected);
    }

    /** The value found. */
    public String valueText() {
        return in.toString(valueStart, valueBytes, StandardCharsets.UTF_8);
    }

    /**
     * Copies the value found, as much of it as there is room for.
     *
     * @return where it ends
     */
    public int copyValue(byte[] target, int at) {
        int count = Math.min(valueBytes, target.length - at);
        in.getBytes(valueStart, target, at, count);
        return at + count;
    }
}
