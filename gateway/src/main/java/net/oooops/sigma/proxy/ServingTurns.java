package net.oooops.sigma.proxy;

import io.netty.channel.SingleThreadEventLoop;

/**
 * How many connections a pool opens for those that wait in one turn of the event loop, so that others have theirs. Who comes between such a
 * turn and the next one that serves is to wait behind those that are left.
 *
 * <p>Called on the Worker's event loop only.
 */
final class ServingTurns {
    private static final int SERVED_MAX = 256;

    private final SingleThreadEventLoop loop;
    private final Runnable serve;
    private final Runnable onEnd = this::onEnd;
    private final Runnable serveRest = this::serveRest;
    private int left = SERVED_MAX;
    private boolean someAreLeft;

    /** @param serve serves those that wait, as many as this lets it */
    ServingTurns(SingleThreadEventLoop loop, Runnable serve) {
        this.loop = loop;
        this.serve = serve;
    }

    /** How many this turn may still serve. */
    int left() {
        return left;
    }

    /** Whether a turn has served as many as it might, and none has gone on with that yet. */
    boolean someAreLeft() {
        return someAreLeft;
    }

    /** One is served. */
    void count() {
        if (left == SERVED_MAX) {
            loop.executeAfterEventLoopIteration(onEnd);
        }
        left--;
        someAreLeft |= left == 0;
    }

    private void onEnd() {
        if (left == 0) {
            // Once others had their turn, and not only at the next look.
            loop.execute(serveRest);
        }
        left = SERVED_MAX;
    }

    private void serveRest() {
        try {
            serve.run();
        } finally {
            someAreLeft = left == 0;
        }
    }
}
