package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;

/** Bytes of a frame beside bytes that are known. */
final class Bytes {
    private Bytes() {}

    /** Whether these bytes stand at {@code at}; there are as many. */
    public static boolean areAt(ByteBuf in, int at, byte[] expected) {
        // From behind: what names have in common is their beginning.
        for (int i = expected.length - 1; i >= 0; i--) {
            if (in.getByte(at + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }
}
