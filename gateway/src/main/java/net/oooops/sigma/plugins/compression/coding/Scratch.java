package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;

/**
 * Direct memory that the coders of a thread use one after the other, each for one step. None has its own: thousands of bodies that wait for their clients would
 * hold all that the process may have, and whoever wants more waits in the JDK for a collection, event loops as well.
 */
public final class Scratch {
    private static final int OUT_BYTES = 16 * 1024;
    private static final int IN_BYTES = 8 * 1024;

    private static final ThreadLocal<ByteBuffer> OUT =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(OUT_BYTES));
    private static final ThreadLocal<ByteBuffer> IN =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(IN_BYTES));

    private Scratch() {}

    /** Where a step writes; cleared. What it has written is to be taken out before the next one. */
    public static ByteBuffer out() {
        return OUT.get().clear();
    }

    /** For a part of what is on the heap; cleared. */
    static ByteBuffer in() {
        return IN.get().clear();
    }
}
