package net.oooops.sigma.exchange;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.lang.reflect.Method;
import java.util.Objects;

/** How many channels more each turn of a Worker's event loop leaves behind. */
final class OpenedInTurns {
    private volatile int most;
    private int before;

    /** On the event loop that this is called on: has that run in its next turn, at whose beginning it is, and counts from then on. */
    void countAfter(Runnable first) {
        SingleThreadEventLoop loop =
                (SingleThreadEventLoop) Objects.requireNonNull(ThreadExecutorMap.currentExecutor(), "no event loop");
        loop.executeAfterEventLoopIteration(() -> loop.execute(() -> {
            first.run();
            before = channels(loop);
            onTurn(loop);
        }));
    }

    private void onTurn(SingleThreadEventLoop loop) {
        loop.executeAfterEventLoopIteration(() -> {
            int now = channels(loop);
            most = Math.max(most, now - before);
            before = now;
            if (!loop.isShuttingDown()) {
                loop.execute(() -> onTurn(loop));
            }
        });
    }

    /** Netty has it for its own ends: what is public isn't counted on event loops of this kind. */
    private static int channels(SingleThreadEventLoop loop) {
        try {
            Method count = SingleThreadEventExecutor.class.getDeclaredMethod("getNumOfRegisteredChannels");
            count.setAccessible(true);
            return (int) count.invoke(loop);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** The most that were opened in one turn. */
    int most() {
        return most;
    }
}
