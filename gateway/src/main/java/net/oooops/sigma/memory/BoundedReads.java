package net.oooops.sigma.memory;

import io.netty.channel.RecvByteBufAllocator;

/**
 * Sizes the reads of a connection, and bounds what it holds together with others. Called on the connection's event loop.
 */
public interface BoundedReads extends RecvByteBufAllocator {
    /**
     * Whether only one message is to be received now. A receive that stays armed fills up to 32 buffers before the kernel is told to
     * stop.
     */
    boolean isOneByOne();

    /** So many bytes were received that nobody wants yet: {@link ReadAhead#heldBytes}. */
    void held(int bytes);

    /** The same for a socket that another event loop drives: it asks there what is kept here, and tells nothing. */
    BoundedReads elsewhere();
}
