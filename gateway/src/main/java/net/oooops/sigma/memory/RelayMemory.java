package net.oooops.sigma.memory;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.LongSupplier;

/**
 * What the connections of a Worker may hold in all: bytes that were received and wait to be sent. A bound for each connection isn't one
 * for thousands whose other sides are slow at the same time.
 *
 * <p>Where much waits, memory is short: then each connection is read a little at a time, and not while anything of what it brought waits,
 * so that each still passes on what it can and none has to be given up. How much waits is looked at each time that about as much as there
 * is room for was received, so passing costs an addition.
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class RelayMemory {
    /** So much is read of a connection at once where memory is short. */
    public static final int LITTLE_BYTES = 4096;
    /**
     * So many connections at once may be read in large pieces: buffers that are eight times larger save a third of the CPU time of much
     * that passes through one session, but thousands of stalled sessions must not hold one each.
     */
    public static final int BULK_READS_MAX = 16;

    private static final int LOOKS = 8;

    private final long bytesMax;
    private final long betweenLooksMin;
    private final LongSupplier waitingBytes;
    private final Runnable onShort;
    private final RecvByteBufAllocator reads = new BoundedReadSize(this);
    private final ReadTurns turns = new ReadTurns();

    private long untilLook;
    /** Written on its event loop only. */
    private volatile boolean isShort;

    private int bulkReadsLeft = BULK_READS_MAX;

    /**
     * Memory for a Worker's connections, of which there are none yet.
     *
     * @param bytesMax how much may wait before connections are read only a little at a time
     * @param waitingBytes says how much waits now, in all connections
     * @param onShort is told each time that memory becomes short
     */
    public RelayMemory(long bytesMax, LongSupplier waitingBytes, Runnable onShort) {
        this.bytesMax = bytesMax;
        this.betweenLooksMin = Math.max(1, bytesMax / LOOKS);
        this.waitingBytes = waitingBytes;
        this.onShort = onShort;
        this.untilLook = bytesMax;
    }

    /** Memory that is never short: for connections that pass nothing on. */
    public static RelayMemory unbounded() {
        return new RelayMemory(Long.MAX_VALUE, () -> 0, () -> {});
    }

    /** So many bytes were received, and are to be sent. Some may be told of twice. */
    public void received(int bytes) {
        untilLook -= bytes;
        if (untilLook <= 0) {
            look();
        }
    }

    /** Time has passed: what waited may have gone, though nothing was received since. */
    public void tick() {
        if (isShort) {
            look();
        }
    }

    private void look() {
        long waiting = waitingBytes.getAsLong();
        // It stays short until half is free, lest each connection goes from one to the other with each read.
        boolean now = waiting > (isShort ? bytesMax / 2 : bytesMax - betweenLooksMin);
        boolean begins = now && !isShort;
        isShort = now;
        untilLook = now ? betweenLooksMin : bytesMax - waiting;
        if (begins) {
            onShort.run();
        }
    }

    /** Whether connections are read only a little at a time: more than seven eighths waited, and half isn't free yet. Any thread. */
    public boolean isShort() {
        return isShort;
    }

    /** Whether one more connection may be read in large pieces. */
    public boolean takeBulkRead() {
        if (isShort || bulkReadsLeft == 0) {
            return false;
        }
        bulkReadsLeft--;
        return true;
    }

    /** One less is. */
    public void giveBackBulkRead() {
        bulkReadsLeft++;
    }

    /** How much is read at once of a connection that is never read in large pieces. */
    public RecvByteBufAllocator reads() {
        return reads;
    }

    /** Whose turn it is, of the connections that bring more than is read of them at once. */
    public ReadTurns turns() {
        return turns;
    }

    /** How much waits on a connection: to be sent or, received from a ring, to be read. */
    public static long waitingOn(Channel channel) {
        long unread = channel instanceof ReadAhead held ? held.heldBytes() : 0;
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return unsent == null ? unread : unread + unsent.totalPendingWriteBytes();
    }

    /** Memory has become short: a read of that connection that was begun for more begins anew. On its event loop. */
    public static void restartRead(Channel channel) {
        if (channel instanceof ReadAhead begun) {
            begun.restartRead();
        }
    }
}
