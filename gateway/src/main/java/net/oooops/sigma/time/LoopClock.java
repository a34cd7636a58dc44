package net.oooops.sigma.time;

import io.netty.channel.SingleThreadEventLoop;
import java.util.function.LongSupplier;

/**
 * The clock of one Worker. It is read from its source once per turn of the event loop, so that all that happens in a turn happens at one time
 * and the source is not asked for every event. Who has to know how long something took within a turn has it read {@linkplain #now anew}.
 *
 * <p>Called on the event loop only.
 */
public final class LoopClock implements Runnable {
    private final SingleThreadEventLoop loop;
    private final LongSupplier source;
    private long nanos;
    private boolean fresh;

    /**
     * @param loop the Worker's event loop
     * @param source nanoseconds of a monotonic clock, such as {@link System#nanoTime}
     */
    public LoopClock(SingleThreadEventLoop loop, LongSupplier source) {
        this.loop = loop;
        this.source = source;
    }

    /** Nanoseconds of the source, the same throughout one loop turn, or since {@link #now}. */
    public long nanos() {
        if (!fresh) {
            nanos = source.getAsLong();
            fresh = true;
            loop.executeAfterEventLoopIteration(this);
        }
        return nanos;
    }

    /** Nanoseconds of the source now, which are those of the rest of the turn, too. Costs some ten nanoseconds more. */
    public long now() {
        if (fresh) {
            nanos = source.getAsLong();
        }
        return nanos();
    }

    /** Ends the turn: the next reading asks the source again. Called by the event loop. */
    @Override
    public void run() {
        fresh = false;
    }
}
