package net.oooops.sigma.runtime;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Work of a Worker that takes long, in turns: in each turn of the event loop so much of it and no more, so that sockets, timers and short work have
 * theirs between. What is handed to the event loop itself from within a task isn't: Netty goes on with such tasks for as long as a second before
 * it looks at sockets again.
 *
 * <pre>
 *   sockets ─▶ tasks, and from here as much as there is time for ─▶ sockets ─▶ ...
 * </pre>
 *
 * <p>What is brief goes before what isn't; of both there is at least one each time. Among each other they go in the order in which they came.
 *
 * <p>Called on the event loop only.
 */
public final class LoopTurns {
    /** What of it one turn of the event loop may take, save that what has begun isn't broken off. */
    public static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SingleThreadEventLoop loop;
    private final LongSupplier source;
    private final ArrayDeque<Runnable> brief = new ArrayDeque<>();
    private final ArrayDeque<Runnable> others = new ArrayDeque<>();
    private final Runnable onTurnEnd = this::onTurnEnd;
    private final Runnable onTurn = this::onTurn;
    /** What this turn has taken. */
    private long takenNanos;
    /** Whether the end of this turn is waited for. */
    private boolean ending;

    /**
     * Those of one Worker.
     *
     * @param source nanoseconds of a monotonic clock
     */
    public LoopTurns(SingleThreadEventLoop loop, LongSupplier source) {
        this.loop = loop;
        this.source = source;
    }

    /** Whether work may be done at once, as this turn has time for it and nobody waits who would come first. */
    public boolean hasTime(boolean isBrief) {
        return takenNanos < TURN_NANOS && brief.isEmpty() && (isBrief || others.isEmpty());
    }

    /** The time, for {@link #took}. */
    public long nanos() {
        return source.getAsLong();
    }

    /** Work was done since then. Returns how long it took. */
    public long took(long sinceNanos) {
        long taken = source.getAsLong() - sinceNanos;
        takenNanos += taken;
        awaitTurnEnd();
        return taken;
    }

    /** Has it done in a later turn of the event loop. */
    public void later(boolean isBrief, Runnable work) {
        (isBrief ? brief : others).add(work);
        awaitTurnEnd();
    }

    private void awaitTurnEnd() {
        if (!ending) {
            ending = true;
            loop.executeAfterEventLoopIteration(onTurnEnd);
        }
    }

    private void onTurnEnd() {
        ending = false;
        takenNanos = 0;
        if (!brief.isEmpty() || !others.isEmpty()) {
            loop.execute(onTurn);
        }
    }

    private void onTurn() {
        try {
            run();
        } finally {
            if (!brief.isEmpty() || !others.isEmpty()) {
                awaitTurnEnd();
            }
        }
    }

    private void run() {
        // What there is now: what it adds comes in a later turn.
        int briefLeft = brief.size();
        int othersLeft = others.size();
        if (othersLeft > 0) {
            othersLeft--;
            next(others);
        }
        boolean first = true;
        while (briefLeft > 0 && (first || takenNanos < TURN_NANOS)) {
            first = false;
            briefLeft--;
            next(brief);
        }
        while (othersLeft > 0 && takenNanos < TURN_NANOS) {
            othersLeft--;
            next(others);
        }
    }

    private void next(ArrayDeque<Runnable> from) {
        Runnable work = from.poll();
        if (work == null) {
            return;
        }
        long takenBefore = takenNanos;
        long began = source.getAsLong();
        work.run();
        // Whatever it has said of itself.
        takenNanos = takenBefore + source.getAsLong() - began;
    }
}
