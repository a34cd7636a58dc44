package net.oooops.sigma.tcp;

import java.util.function.LongSupplier;

/**
 * What the sessions of a Worker may hold in all: bytes that were received and wait to be sent. A bound for each connection isn't one for
 * thousands whose other sides are slow at the same time.
 *
 * <p>Where much waits, memory is short: then a session is read a little at a time, and not while anything of it waits, so that each still
 * passes on what it can and none has to be given up. How much waits is looked at each time that about as much as there is room for was
 * received, so passing costs an addition.
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class SessionMemory {
    /** So much is read of a connection at once where memory is short. */
    static final int LITTLE_BYTES = 4096;
    /**
     * So many connections at once may be read in large pieces: buffers that are eight times larger save a third of the CPU time of much
     * that passes through one session, but thousands of stalled sessions must not hold one each.
     */
    static final int BULK_READS_MAX = 16;

    private static final int LOOKS = 8;

    private final long bytesMax;
    private final long betweenLooksMin;
    private final LongSupplier waitingBytes;
    private final Runnable onShort;

    private long untilLook;
    private boolean isShort;
    private int bulkReadsLeft = BULK_READS_MAX;

    /**
     * Memory for a Worker's sessions, of which there are none yet.
     *
     * @param bytesMax how much may wait before a session is read only a little at a time
     * @param waitingBytes says how much waits now, in all sessions
     * @param onShort is told each time that memory becomes short
     */
    public SessionMemory(long bytesMax, LongSupplier waitingBytes, Runnable onShort) {
        this.bytesMax = bytesMax;
        this.betweenLooksMin = Math.max(1, bytesMax / LOOKS);
        this.waitingBytes = waitingBytes;
        this.onShort = onShort;
        this.untilLook = bytesMax;
    }

    /** So many bytes were received, and are to be sent. Some may be told of twice. */
    void received(int bytes) {
        untilLook -= bytes;
        if (untilLook <= 0) {
            look();
        }
    }

    private void look() {
        long waiting = waitingBytes.getAsLong();
        // It stays short until half is free, lest each session goes from one to the other with each read.
        boolean now = waiting > (isShort ? bytesMax / 2 : bytesMax - betweenLooksMin);
        boolean begins = now && !isShort;
        isShort = now;
        untilLook = now ? betweenLooksMin : bytesMax - waiting;
        if (begins) {
            onShort.run();
        }
    }

    /** Whether sessions are read only a little at a time. */
    boolean isShort() {
        return isShort;
    }

    /** Whether one more connection may be read in large pieces. */
    boolean takeBulkRead() {
        if (isShort || bulkReadsLeft == 0) {
            return false;
        }
        bulkReadsLeft--;
        return true;
    }

    /** One less is. */
    void giveBackBulkRead() {
        bulkReadsLeft++;
    }
}
