package net.oooops.sigma.bolt;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;

/**
 * Sends at the end of each turn of the event loop what was written during it: however many frames of however many connections
 * were written to one, they leave in one write. One for each Worker.
 *
 * <p>Called on the event loop only.
 */
final class FlushTurn implements Runnable {
    private final SingleThreadEventLoop loop;
    private final ArrayDeque<FrameConnection> written = new ArrayDeque<>();
    private boolean scheduled;

    /** Of that event loop. */
    public FlushTurn(SingleThreadEventLoop loop) {
        this.loop = loop;
    }

    void add(FrameConnection connection) {
        written.add(connection);
        if (!scheduled) {
            scheduled = true;
            loop.executeAfterEventLoopIteration(this);
        }
    }

    /** Ends the turn. Called by the event loop. */
    @Override
    public void run() {
        flush();
        scheduled = false;
    }

    /** Sends what was written until now. */
    public void flush() {
        // What is sent may end a connection, and that may lead to more being written.
        FrameConnection next = written.poll();
        while (next != null) {
            next.flush();
            next = written.poll();
        }
    }
}
