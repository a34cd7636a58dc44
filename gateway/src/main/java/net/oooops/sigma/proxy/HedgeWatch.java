package net.oooops.sigma.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.oooops.sigma.runtime.UpstreamGroup;

/**
 * Looks which requests to an Upstream have waited for long enough to be hedged, every 5 ms while any waits: deadlines of the wheel,
 * which are noticed within 100 ms, would be too coarse. And knows how many may be hedged: a share of them, so that a slow Upstream
 * isn't given twice as much to do, and something of the retry budget is left for requests that fail.
 *
 * <p>Belongs to one Worker; there is none where nothing is hedged.
 */
final class HedgeWatch implements Runnable {
    private static final long LOOK_MILLIS = 5;
    private static final int WHOLE = 100;
    /** So many requests may be hedged at once after a quiet time. */
    private static final int SAVED_MAX = 10;

    private final ScheduledExecutorService eventLoop;
    private final LongSupplier clockNanos;
    private final UpstreamGroup<HttpNode> upstream;
    private final List<HedgeLine> lines = new ArrayList<>();
    private boolean looking;
    private int hundredths = SAVED_MAX * WHOLE;

    HedgeWatch(ScheduledExecutorService eventLoop, LongSupplier clockNanos, UpstreamGroup<HttpNode> upstream) {
        this.eventLoop = eventLoop;
        this.clockNanos = clockNanos;
        this.upstream = upstream;
    }

    /** Whether it looks after that Upstream. */
    boolean isOf(UpstreamGroup<HttpNode> other) {
        return upstream == other;
    }

    /**
     * A request waits in that line, and earns a part of a hedge.
     *
     * @param percent which part
     */
    void begins(HedgeLine line, int percent) {
        hundredths = Math.min(hundredths + percent, SAVED_MAX * WHOLE);
        if (!line.isWatched) {
            line.isWatched = true;
            lines.add(line);
        }
        if (!looking) {
            looking = true;
            schedule();
        }
    }

    /** Whether one more request may be hedged. */
    boolean allows() {
        return hundredths >= WHOLE;
    }

    /** One is hedged: it was allowed. */
    void take() {
        hundredths -= WHOLE;
    }

    @Override
    public void run() {
        try {
            look(clockNanos.getAsLong());
        } finally {
            // Whatever was thrown: nobody else begins to look as long as it is said that this does.
            looking = !lines.isEmpty();
            if (looking) {
                schedule();
            }
        }
    }

    private void look(long nowNanos) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            HedgeLine line = lines.get(i);
            line.look(nowNanos);
            if (line.isEmpty()) {
                line.isWatched = false;
                lines.remove(i);
            }
        }
    }

    private void schedule() {
        eventLoop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
}
