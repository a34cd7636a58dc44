package net.oooops.sigma.time;

import org.jspecify.annotations.Nullable;

/**
 * Something with a deadline in a {@link DeadlineWheel}: a connection or an exchange. It hangs in the wheel itself, so that
 * setting a deadline allocates nothing.
 */
public abstract class Timed {
    @Nullable Timed before;

    @Nullable Timed after;

    /** The slot it hangs in, or -1. */
    int slot = -1;

    /** The tick at which that slot is looked at. */
    long slotTick;

    long deadlineNanos;
    boolean armed;

    /** Called on the event loop once the deadline has passed; it is disarmed before. */
    protected abstract void onDeadline();
}
