package net.oooops.sigma.memory;

/**
 * What heads of requests may hold on a Worker in all, from their first byte to the end of their request. A bound for each connection isn't one
 * for thousands, and reading slowly frees nothing: who brings a large head beyond it is refused. Small ones always have room, as each
 * connection keeps as much for its next request.
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class HeadMemory {
    /** Who holds no more than that doesn't count. */
    public static final int SMALL_BYTES = 4096;

    private final long bytesMax;
    private long bytes;

    /** No heads yet, which may hold so much. */
    public HeadMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** What counts of so much. */
    public static int counted(int heldBytes) {
        return heldBytes > SMALL_BYTES ? heldBytes : 0;
    }

    /**
     * What somebody holds has changed, which it has whatever this says.
     *
     * @param before what counted of it
     * @param now what does
     * @return whether it goes on: it doesn't hold more than before, or there is room
     */
    public boolean hold(int before, int now) {
        bytes += now - before;
        return now <= before || bytes <= bytesMax;
    }

    /** What is held, but for small heads. */
    public long bytes() {
        return bytes;
    }
}
