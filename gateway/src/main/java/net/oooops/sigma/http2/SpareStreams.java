package net.oooops.sigma.http2;

import io.netty.channel.Channel;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Streams to a node that are over, to be used again. Those that they were lent to may still look at them until the turn of the event loop ends in which they
 * ended, so none is given before that.
 *
 * <p>Belongs to one connection; called on its event loop only.
 */
final class SpareStreams {
    private static final int MOST = 128;

    private final Channel channel;
    private final ArrayDeque<Http2ClientStream> spare = new ArrayDeque<>();
    /** Over since this turn began. */
    private final ArrayDeque<Http2ClientStream> resting = new ArrayDeque<>();

    private final Runnable onTurnEnd = this::endTurn;

    SpareStreams(Channel channel) {
        this.channel = channel;
    }

    /** One that nobody looks at; null where there is none. */
    @Nullable Http2ClientStream take() {
        return spare.poll();
    }

    /** That one is over. */
    void rest(Http2ClientStream stream) {
        if (resting.isEmpty()) {
            ((SingleThreadEventLoop) channel.eventLoop()).executeAfterEventLoopIteration(onTurnEnd);
        }
        if (spare.size() + resting.size() < MOST || resting.isEmpty()) {
            resting.push(stream);
        }
    }

    private void endTurn() {
        for (Http2ClientStream stream = resting.poll(); stream != null; stream = resting.poll()) {
            spare.push(stream);
        }
    }
}
