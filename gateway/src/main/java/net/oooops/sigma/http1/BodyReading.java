package net.oooops.sigma.http1;

import io.netty.channel.Channel;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SingleThreadEventLoop;
import net.oooops.sigma.memory.ReadAhead;
import net.oooops.sigma.memory.ReadTurns;

/**
 * Whether a connection that brings a body is read: not while nobody takes what comes, nor while it is the turn of others.
 *
 * <p>Called on the connection's event loop only.
 */
final class BodyReading implements ReadTurns.Reader {
    private final Channel channel;
    private final ReadTurns turns;
    private boolean paused;
    private boolean waits;
    /** What has come in this turn of the event loop, so far. */
    private int cameBytes;

    private int turnBytes;

    BodyReading(Channel channel, ReadTurns turns) {
        this.channel = channel;
        this.turns = turns;
    }

    /** A message begins, and what comes of it is taken. */
    void begins() {
        paused = false;
    }

    /** Whether nobody takes what comes. */
    boolean isPaused() {
        return paused;
    }

    /** Nobody takes what comes for now, or somebody does again. */
    void pause(boolean pause) {
        paused = pause;
        channel.config().setAutoRead(!pause && !waits);
    }

    /** So many bytes came. */
    void came(int bytes) {
        cameBytes += bytes;
    }

    /**
     * All that was read in this turn of the event loop has been told.
     *
     * @param goesOn whether it is a body, and there is more of it
     */
    void turnEnds(boolean goesOn) {
        turnBytes = cameBytes;
        cameBytes = 0;
        if (goesOn && !paused && !waits && turns.isOver((SingleThreadEventLoop) channel.eventLoop(), this)) {
            waits = true;
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public int turnBytes() {
        return turnBytes;
    }

    @Override
    public boolean isFilled() {
        if (channel instanceof ReadAhead ahead) {
            return ahead.hasMore();
        }
        return channel.unsafe().recvBufAllocHandle() instanceof RecvByteBufAllocator.ExtendedHandle read
                && read.lastBytesRead() > 0
                && read.lastBytesRead() == read.attemptedBytesRead();
    }

    @Override
    public void readOn() {
        waits = false;
        if (!paused && channel.isActive()) {
            channel.config().setAutoRead(true);
        }
    }
}
