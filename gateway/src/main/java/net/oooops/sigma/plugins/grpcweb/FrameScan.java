package net.oooops.sigma.plugins.grpcweb;

import net.oooops.sigma.api.RefusedBodyException;

/**
 * Where a body of gRPC is within its frames, each a flag, four bytes of length and a message. Fed with the body in any parts; keeps five
 * numbers, whatever the messages are.
 *
 * <pre>
 *   FLAG ─▶ LENGTH (4) ─▶ message ─▶ FLAG
 *                └─ 0 ──────────────▶ FLAG
 * </pre>
 */
final class FrameScan {
    private static final int HEADER_BYTES = 5;
    /** The largest flag of a message, that of a packed one. Trailers have 128, in the answers of gRPC-Web alone. */
    private static final int FLAG_MAX = 1;

    private final String side;
    /** How many bytes of the header are known. */
    private int headerBytes;
    /** The length as far as it is known, then what is left of the message. */
    private long left;

    /** @param side whose body it is, for messages */
    FrameScan(String side) {
        this.side = side;
    }

    /**
     * Takes the next bytes.
     *
     * @throws RefusedBodyException where a frame isn't one of a message
     */
    void take(byte[] bytes, int count) throws RefusedBodyException {
        int at = 0;
        while (at < count) {
            if (headerBytes < HEADER_BYTES) {
                header(bytes[at] & 0xFF);
                at++;
            } else {
                int passed = (int) Math.min(left, count - at);
                left -= passed;
                at += passed;
            }
            if (headerBytes == HEADER_BYTES && left == 0) {
                headerBytes = 0;
            }
        }
    }

    private void header(int b) throws RefusedBodyException {
        if (headerBytes > 0) {
            left = (left << Byte.SIZE) | b;
        } else if (b > FLAG_MAX) {
            throw new RefusedBodyException("the " + side + " has a frame with flag " + b + " (expected: 0 or 1)");
        }
        headerBytes++;
    }

    /** Whether all frames that have begun are complete. */
    boolean isBetween() {
        return headerBytes == 0;
    }

    /** @throws RefusedBodyException where the body ends within a frame */
    void end() throws RefusedBodyException {
        if (!isBetween()) {
            throw new RefusedBodyException("the " + side + " ends within a frame (expected: whole messages)");
        }
    }
}
