package net.oooops.sigma.time;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A coarse wheel of deadlines: one for all timeouts of a Worker instead of a scheduled task for each request.
 *
 * <p>A deadline is kept in the {@link Timed} itself. Moving it later, which is what nearly every request does, is one write:
 * the wheel finds the new deadline when the old slot comes round and hangs it further on. Only a deadline that moves before
 * its slot is hung anew. A deadline is noticed at most one tick late, never early.
 *
 * <p>Called on one event loop only.
 */
public final class DeadlineWheel {
    /** The wheel's step in nanoseconds. */
    public static final long TICK_NANOS = 100_000_000L;

    private static final int SLOTS = 1024;

    private final LongSupplier clock;
    private final long startNanos;
    private final @Nullable Timed[] slots = new Timed[SLOTS];
    private long tick;

    /** @param clock nanoseconds of the Worker's clock */
    public DeadlineWheel(LongSupplier clock) {
        this.clock = clock;
        this.startNanos = clock.getAsLong();
    }

    /** The Worker's time: nanoseconds, of which only differences mean anything. */
    public long nowNanos() {
        return clock.getAsLong();
    }

    /** Sets the deadline {@code afterNanos} from now, in the place of one that was set before. */
    public void arm(Timed timed, long afterNanos) {
        set(timed, clock.getAsLong() + afterNanos);
    }

    /** Moves the deadline of one that has one, be it to a time that has passed. */
    public void move(Timed timed, long byNanos) {
        if (timed.armed) {
            set(timed, timed.deadlineNanos + byNanos);
        }
    }

    /** One that has a deadline has it {@code afterNanos} from now, unless it is sooner anyway. */
    public void hasten(Timed timed, long afterNanos) {
        long deadlineNanos = clock.getAsLong() + afterNanos;
        if (timed.armed && deadlineNanos - timed.deadlineNanos < 0) {
            set(timed, deadlineNanos);
        }
    }

    private void set(Timed timed, long deadlineNanos) {
        timed.deadlineNanos = deadlineNanos;
        timed.armed = true;
        long due = dueTick(deadlineNanos);
        if (timed.slot < 0) {
            hang(timed, due);
        } else if (due < timed.slotTick) {
            unhang(timed);
            hang(timed, due);
        }
    }

    /** Takes the deadline back. What is hung stays hung: it falls off when its slot comes round. */
    public void disarm(Timed timed) {
        timed.armed = false;
    }

    /** Takes {@code timed} out of the wheel at once, for what is about to be given up. */
    public void remove(Timed timed) {
        timed.armed = false;
        if (timed.slot >= 0) {
            unhang(timed);
        }
    }

    /** Runs what is due. Called every {@link #TICK_NANOS}. Where some of these throw, all others are run before the first fault is thrown. */
    public void advance() {
        long now = (clock.getAsLong() - startNanos) / TICK_NANOS;
        Throwable thrown = null;
        while (tick < now) {
            tick++;
            thrown = runSlot((int) (tick & (SLOTS - 1)), thrown);
        }
        switch (thrown) {
            case null -> {}
            case Error fault -> throw fault;
            case RuntimeException fault -> throw fault;
            default -> throw new IllegalStateException(thrown);
        }
    }

    private @Nullable Throwable runSlot(int slot, @Nullable Throwable before) {
        Throwable thrown = before;
        // Hanging again never uses this slot (see hang), and a deadline that runs may remove others from it: so always
        // the first.
        Timed timed = slots[slot];
        while (timed != null) {
            unhang(timed);
            try {
                settle(timed);
            } catch (Throwable e) {
                thrown = firstOf(thrown, e);
            }
            timed = slots[slot];
        }
        return thrown;
    }

    private static Throwable firstOf(@Nullable Throwable known, Throwable e) {
        if (known == null || known == e) {
            return e;
        }
        known.addSuppressed(e);
        return known;
    }

    private void settle(Timed timed) {
        if (!timed.armed) {
            return;
        }
        long due = dueTick(timed.deadlineNanos);
        if (due > tick) {
            hang(timed, due);
        } else {
            timed.armed = false;
            timed.onDeadline();
        }
    }

    private long dueTick(long deadlineNanos) {
        return Math.ceilDiv(deadlineNanos - startNanos, TICK_NANOS);
    }

    private void hang(Timed timed, long due) {
        long at = Math.clamp(due, tick + 1, tick + SLOTS - 1);
        int slot = (int) (at & (SLOTS - 1));
        Timed first = slots[slot];
        timed.slot = slot;
        timed.slotTick = at;
        timed.after = first;
        timed.before = null;
        if (first != null) {
            first.before = timed;
        }
        slots[slot] = timed;
    }

    private void unhang(Timed timed) {
        Timed before = timed.before;
        Timed after = timed.after;
        if (before == null) {
            slots[timed.slot] = after;
        } else {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        }
        timed.before = null;
        timed.after = null;
        timed.slot = -1;
    }
}
