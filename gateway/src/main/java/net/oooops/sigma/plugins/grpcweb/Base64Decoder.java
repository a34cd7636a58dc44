package net.oooops.sigma.plugins.grpcweb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import net.oooops.sigma.api.RefusedBodyException;

/**
 * Decodes base64 (RFC 4648 section 4) as it comes, in any parts. A client may have written it in pieces, each padded by itself, so that what
 * is padded may be followed by more. Padding is needed; line ends and the like aren't taken.
 */
final class Base64Decoder {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final int QUAD_CHARS = 4;
    private static final int QUAD_BYTES = 3;
    private static final byte[] VALUES = new byte[256];

    static {
        Arrays.fill(VALUES, (byte) -1);
        for (int i = 0; i < ALPHABET.length(); i++) {
            VALUES[ALPHABET.charAt(i)] = (byte) i;
        }
    }

    /** The bits of those four characters that have begun. */
    private int bits;

    private int chars;
    private int paddings;

    /**
     * Decodes as much of {@code in} as there is, or as there is room for, and moves over it.
     *
     * @return how many bytes of {@code out} it made
     * @throws RefusedBodyException where it isn't base64
     */
    int decode(ByteBuffer in, byte[] out) throws RefusedBodyException {
        int at = 0;
        while (in.hasRemaining() && at + QUAD_BYTES <= out.length) {
            add(in.get());
            if (chars == QUAD_CHARS) {
                int count = QUAD_BYTES - paddings;
                for (int i = 0; i < count; i++) {
                    out[at++] = (byte) (bits >> ((QUAD_BYTES - 1 - i) * Byte.SIZE));
                }
                bits = 0;
                chars = 0;
                paddings = 0;
            }
        }
        return at;
    }

    private void add(byte b) throws RefusedBodyException {
        int value = VALUES[b & 0xFF];
        if (b == '=' && chars >= 2) {
            value = 0;
            paddings++;
        } else if (value < 0 || paddings > 0) {
            throw new RefusedBodyException("the request's body is not base64: it has a byte of value " + (b & 0xFF));
        }
        bits = (bits << 6) | value;
        chars++;
    }

    /** @throws RefusedBodyException where there is a part that isn't complete */
    void end() throws RefusedBodyException {
        if (chars > 0) {
            throw new RefusedBodyException("the request's base64 ends too early (expected: four characters each)");
        }
    }
}
