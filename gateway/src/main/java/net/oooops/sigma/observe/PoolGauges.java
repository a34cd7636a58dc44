package net.oooops.sigma.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The sizes of one Worker's pool of connections to one Node. Made by {@link WorkerCounters#pool}.
 *
 * <p>{@link #set} is called on the Worker's event loop, after every change or once in a while; the rest on any thread.
 */
public final class PoolGauges {
    private static final VarHandle SIZE = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int OPEN = 0;
    private static final int IDLE = 1;
    private static final int WAITING = 2;
    private static final int HELD = 3;

    private final String upstreamId;
    private final String node;
    private final int[] sizes = new int[4];

    PoolGauges(String upstreamId, String node) {
        this.upstreamId = upstreamId;
        this.node = node;
    }

    /**
     * Sets the other three.
     *
     * @param openCount connections, busy, idle and being opened
     * @param idleCount connections that no request uses
     * @param waitingCount requests that wait for a connection
     */
    public void set(int openCount, int idleCount, int waitingCount) {
        SIZE.setOpaque(sizes, OPEN, openCount);
        SIZE.setOpaque(sizes, IDLE, idleCount);
        SIZE.setOpaque(sizes, WAITING, waitingCount);
    }

    /** Sets how many connections slow clients hold. */
    public void hold(int heldCount) {
        SIZE.setOpaque(sizes, HELD, heldCount);
    }

    /** What was set last; the four may be of different moments. */
    Counters.Pool read() {
        return new Counters.Pool(upstreamId, node, size(OPEN), size(IDLE), size(HELD), size(WAITING));
    }

    private int size(int which) {
        return (int) SIZE.getOpaque(sizes, which);
    }
}
