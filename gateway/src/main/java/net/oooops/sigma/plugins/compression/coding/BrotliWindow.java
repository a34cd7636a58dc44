package net.oooops.sigma.plugins.compression.coding;

import net.oooops.sigma.api.RefusedBodyException;

/** How large a window a body in br wants: its first bits say so (RFC 7932 section 9.1), and its decoder makes as much room. */
final class BrotliWindow {
    /** What the reference encoder takes where nobody says otherwise. */
    private static final int BITS_MAX = 22;

    private BrotliWindow() {}

    /**
     * Looks at the first byte of a body.
     *
     * @throws RefusedBodyException where its window is larger than may be
     */
    static void check(byte first) throws RefusedBodyException {
        int bits = bits(first);
        if (bits > BITS_MAX) {
            throw RefusedBodyException.tooLarge(
                    "br with a window of 2^" + bits + " bytes (expected: <= 2^" + BITS_MAX + ")");
        }
    }

    /** What isn't in RFC 7932 is for the decoder to refuse. */
    private static int bits(byte first) {
        int more = (first >> 1) & 7;
        if ((first & 1) == 0) {
            return 16;
        }
        return more == 0 ? 17 : 17 + more;
    }
}
