package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;

/** What is on the heap, for a library that reads nothing from there: copied, a part at a time, for one step. */
final class Direct {
    private Direct() {}

    /** {@code in} itself, or a copy of its next part. */
    static ByteBuffer of(ByteBuffer in) {
        if (in.isDirect()) {
            return in;
        }
        ByteBuffer to = Scratch.in();
        int count = Math.min(in.remaining(), to.capacity());
        to.put(0, in, in.position(), count).limit(count);
        return to;
    }

    /** So far {@code part} has been read: so has {@code in}. */
    static void read(ByteBuffer in, ByteBuffer part, int from) {
        if (!in.isDirect()) {
            in.position(in.position() + part.position() - from);
        }
    }
}
