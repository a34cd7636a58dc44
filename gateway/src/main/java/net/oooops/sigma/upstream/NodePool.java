package net.oooops.sigma.upstream;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one Worker to one Node: last in, first out, bounded, with a bounded queue of those who wait.
 *
 * <p>Few connections cost less CPU than many, so a request is let wait for one rather than open one, once there are some. How many
 * these are, the width, is found out: where the Worker has time to spare while requests wait, they wait for the node and not for the
 * Worker, and more are opened ({@link #widen}). Where it never has, fewer do as well ({@link #narrow}). Of more connections, opened when
 * the pool was wider, the surplus stays idle until it is closed as idle. A connection that was set aside doesn't count, nor does one that was
 * lent for long: the others have lost it, as it seems.
 *
 * <p>Pure bookkeeping: a call changes the state and returns what is to be done; it opens, closes and calls nothing itself.
 * Every slot is in one of three states: promised to whoever opens a connection, in use, or idle.
 *
 * <p>Called on one event loop only.
 *
 * @param <C> a connection
 * @param <W> who waits for one
 */
public final class NodePool<C, W> {
    /** What {@link #admit} decided. */
    public enum Admission {
        /** The caller opens a connection; a slot is taken for it. */
        CONNECT,
        /** All slots are in use: the caller waits. */
        WAIT,
        /** The wait queue is full. */
        OVERFLOW,
        /** As many wait at all nodes of the Upstream as may. */
        BOUND
    }

    /** So many connections are opened without a thought. */
    public static final int WIDTH_MIN = 64;

    private static final int IDLE_FIRST = 16;
    /** By so much a pool is narrowed at once. */
    private static final double NARROWER = 0.95;
    /** What was lent so many ticks ago was lent for long. A power of two. */
    static final int LONG_TICKS = 8;

    private final Slots slots;
    private int connectionsMax = 1;
    private int waitersMax;
    private @Nullable Bound pending;
    private final Line<W> waiters = new Line<>();
    private @Nullable Object[] idle = new Object[IDLE_FIRST];
    private int idleCount;
    private int openCount;
    /** How many of those in use don't count. */
    private int asideCount;
    /** How many of those in use count, by the tick in which they were lent. */
    private final int[] lentCounts = new int[LONG_TICKS];

    private int tick;
    /** Whether those who wait have been counted as refused by a bound on connections: these are asked for them again and again. */
    private boolean bounded;

    private int width = WIDTH_MIN;
    private boolean retired;

    /**
     * @param connectionsMax how many connections may be open, at least 1
     * @param waitersMax how many may wait, at least 0
     */
    public NodePool(int connectionsMax, int waitersMax) {
        this(connectionsMax, waitersMax, null, null, null);
    }

    /**
     * As {@link #bound} says.
     *
     * @param all how many connections may be open to all nodes of all Upstreams; the first one here may always
     */
    public NodePool(
            int connectionsMax,
            int waitersMax,
            @Nullable Bound connections,
            @Nullable Bound pending,
            @Nullable Bound all) {
        this(all);
        bound(connectionsMax, waitersMax, connections, pending);
    }

    /** Of which {@link #bound} is to say how large it may be, before it is used. */
    public NodePool(@Nullable Bound all) {
        this.slots = new Slots(null, all);
    }

    /**
     * Those bounds hold from now on. Connections that are open stay, and who waits goes on doing so, though there be more of them than may
     * be.
     *
     * @param connectionsMax how many connections may be open, at least 1
     * @param waitersMax how many may wait, at least 0
     * @param connections how many connections may be open to all nodes of its Upstream; the first one here may always
     * @param pending how many may wait at all of them
     */
    public void bound(int connectionsMax, int waitersMax, @Nullable Bound connections, @Nullable Bound pending) {
        if (connectionsMax < 1 || waitersMax < 0) {
            throw new IllegalArgumentException(
                    "connectionsMax: " + connectionsMax + ", waitersMax: " + waitersMax + " (expected: >= 1 and >= 0)");
        }
        this.connectionsMax = connectionsMax;
        this.waitersMax = waitersMax;
        slots.move(connections, openCount);
        Bound.move(this.pending, pending, waiters.size());
        this.pending = pending;
    }

    /** Takes the connection that became idle last, or null where there is none or no more may be in use. It is in use then. */
    public @Nullable C takeIdle() {
        return usedCount() < width ? takeAnyIdle() : null;
    }

    /** Takes the connection that became idle last, or null, however many are in use. */
    @SuppressWarnings("unchecked") // only release() stores, and it stores C
    public @Nullable C takeAnyIdle() {
        if (idleCount == 0) {
            return null;
        }
        C connection = (C) idle[--idleCount];
        idle[idleCount] = null;
        return connection;
    }

    /** Where no connection is idle: whether {@code waiter} opens one, or waits. */
    public Admission admit(Line.Link<W> waiter) {
        if (waiters.isEmpty()) {
            bounded = false;
        }
        if (openCount < connectionsMax && usedCount() < width) {
            Bound full = slots.take(openCount == 0);
            if (full == null) {
                openCount++;
                return Admission.CONNECT;
            }
            countBounded(full, 1);
        }
        if (waiters.size() >= waitersMax) {
            return Admission.OVERFLOW;
        }
        if (pending != null && !pending.tryTake()) {
            return Admission.BOUND;
        }
        waiters.add(waiter);
        return Admission.WAIT;
    }

    /** {@code waiter} waits behind the others, where any wait and one more may, though there be room for more connections; whether it does. */
    public boolean lineUp(Line.Link<W> waiter) {
        boolean may = !waiters.isEmpty() && waiters.size() < waitersMax;
        if (!may || (pending != null && !pending.tryTakeUncounted())) {
            return false;
        }
        waiters.add(waiter);
        return true;
    }

    /** A connection that was opened for something else has turned out to be one: it takes a slot, whatever bounds there are, and is in use. */
    public void adopt() {
        slots.take(true);
        openCount++;
    }

    /** Whether there are more than may be, since some were adopted, and nobody waits for one: one that becomes free is to be closed. */
    public boolean hasSurplus() {
        return openCount > connectionsMax && waiters.isEmpty();
    }

    private void countBounded(Bound full, int requests) {
        bounded = true;
        full.refused(requests);
    }

    private @Nullable W poll() {
        W waiter = waiters.poll();
        if (waiter != null && pending != null) {
            pending.release();
        }
        return waiter;
    }

    /** Who waits longest, or null. */
    public @Nullable W firstWaiting() {
        return waiters.first();
    }

    /** Whether it waits here. */
    public boolean isWaiting(Line.Link<W> waiter) {
        return waiters.has(waiter);
    }

    /** Stops waiting; whether it did wait here. */
    public boolean cancel(Line.Link<W> waiter) {
        boolean waited = waiters.remove(waiter);
        if (waited && pending != null) {
            pending.release();
        }
        return waited;
    }

    /**
     * A connection in use, or one just opened that nobody uses, is free.
     *
     * @return who takes it over, or null: it is idle then
     */
    public @Nullable W release(C connection) {
        W waiter = usedCount() > width ? null : poll();
        if (waiter == null) {
            if (idleCount == idle.length) {
                idle = Arrays.copyOf(idle, idleCount * 2);
            }
            idle[idleCount++] = connection;
        }
        return waiter;
    }

    /**
     * A connection is gone, idle or in use, or couldn't be opened: its slot is free.
     *
     * @return who is to open one in its place (the slot is taken again), or null where nobody waits, or there are others enough
     */
    public @Nullable W vacate(@Nullable C connection) {
        if (connection != null) {
            removeIdle(connection);
        }
        W waiter = retired || usedCount() > width || openCount > connectionsMax ? null : poll();
        if (waiter == null) {
            openCount--;
            slots.give();
        }
        return waiter;
    }

    /** A connection in use is lent. Returns when, to be given back to {@link #setAside} and {@link #takeBack}. */
    public int lend() {
        count(tick, 1);
        return tick;
    }

    /** A connection that was lent then is so no longer. */
    public void takeBack(int lentTick) {
        count(lentTick, -1);
    }

    /** A connection that was lent then doesn't count towards the width, or does again. */
    public void setAside(boolean aside, int lentTick) {
        asideCount += aside ? 1 : -1;
        count(lentTick, aside ? -1 : 1);
    }

    private void count(int lentTick, int more) {
        if (tick - lentTick < LONG_TICKS) {
            lentCounts[lentTick & (LONG_TICKS - 1)] += more;
        } else {
            asideCount += more;
        }
    }

    /** Time has passed. */
    public void tick() {
        tick++;
        int oldest = tick & (LONG_TICKS - 1);
        asideCount += lentCounts[oldest];
        lentCounts[oldest] = 0;
    }

    /**
     * Those who wait do so for the node: opens more connections.
     *
     * @param share by which part of those that there are it may be more
     */
    public void widen(double share) {
        int now = usedCount();
        width = Math.max(width, now + (int) Math.ceil(Math.max(now, WIDTH_MIN) * share));
    }

    /** One more may be in use than are. */
    public void widenByOne() {
        width = Math.max(width, usedCount() + 1);
    }

    /** From now on so many connections may be in use, {@link #WIDTH_MIN} at least. */
    public void width(int connections) {
        width = Math.max(WIDTH_MIN, connections);
    }

    /** How many connections may be in use, without those that don't count. */
    public int width() {
        return width;
    }

    /** After {@link #widen} or {@link #width}: an idle connection for who waits longest, to be released to it, or null. */
    public @Nullable C nextToReuse() {
        return waiters.isEmpty() ? null : takeIdle();
    }

    /** After {@link #nextToReuse}: who is to open a connection now (a slot is taken for it), or null where there is no room or nobody waits. */
    public @Nullable W nextToOpen() {
        if (waiters.isEmpty() || openCount >= connectionsMax || usedCount() >= width) {
            return null;
        }
        Bound full = slots.take(openCount == 0);
        if (full != null) {
            if (!bounded) {
                countBounded(full, waiters.size());
            }
            return null;
        }
        openCount++;
        return poll();
    }

    /** Whether another width, or time, could open more for those who wait. Else each waits for one that is given back, or its slot. */
    public boolean mayGrow() {
        return connectionsMax > WIDTH_MIN || openCount < connectionsMax;
    }

    /** The Worker never has time to spare: fewer connections do as well. */
    public void narrow() {
        // Not of those in use: these may be few for a moment.
        width = Math.max(WIDTH_MIN, (int) (Math.min(width, openCount - asideCount) * NARROWER));
    }

    /** How many connections are in use or being opened, without those that don't count. */
    public int usedCount() {
        return openCount - idleCount - asideCount;
    }

    /** Whether no connection is wanted any more: one that becomes free is to be closed. */
    public boolean isRetired() {
        return retired;
    }

    /** The node is gone: no connection is wanted any more. */
    public void retire() {
        retired = true;
    }

    private void removeIdle(C connection) {
        for (int i = idleCount - 1; i >= 0; i--) {
            if (idle[i] == connection) {
                System.arraycopy(idle, i + 1, idle, i, idleCount - i - 1);
                idle[--idleCount] = null;
                return;
            }
        }
    }

    /** How many slots are taken. */
    public int openCount() {
        return openCount;
    }

    /** How many connections are idle. */
    public int idleCount() {
        return idleCount;
    }

    /** How many wait. */
    public int waitingCount() {
        return waiters.size();
    }
}
