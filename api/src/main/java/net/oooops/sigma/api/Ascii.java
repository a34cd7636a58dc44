package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable run of US-ASCII bytes, made once (at configuration time) so that nothing is encoded per request.
 *
 * <p>Safe for use from any thread.
 */
public final class Ascii {
    /** No bytes. */
    public static final Ascii EMPTY = new Ascii(new byte[0]);

    private final byte[] bytes;

    private Ascii(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The bytes of {@code text}.
     *
     * @throws IllegalArgumentException where {@code text} holds a character outside US-ASCII
     */
    public static Ascii of(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7F) {
                throw new IllegalArgumentException("\"" + text + "\" (expected: US-ASCII only)");
            }
        }
        return text.isEmpty() ? EMPTY : new Ascii(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** The byte at {@code index}. */
    public byte byteAt(int index) {
        return bytes[index];
    }

    /** Copies all bytes to {@code target} from {@code at} on and returns the position after the last one. */
    public int copyTo(byte[] target, int at) {
        System.arraycopy(bytes, 0, target, at, bytes.length);
        return at + bytes.length;
    }

    /** Whether {@code source[start, end)} begins with these bytes, letter case included. */
    public boolean isPrefixOf(byte[] source, int start, int end) {
        return end - start >= bytes.length
                && Arrays.equals(source, start, start + bytes.length, bytes, 0, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ascii that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
