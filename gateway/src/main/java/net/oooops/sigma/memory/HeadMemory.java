package net.oooops.sigma.memory;

/**
 * What heads and trailers of requests may hold on a Worker in all, from their first byte to the end of their request. A bound for each connection isn't
 * one for thousands, and reading slowly frees nothing: who brings a large head beyond it is refused. Small ones always have room. They narrow that of
 * large ones, but to no less than half: many that stay for hours, as those of tunnels do, aren't to refuse all large ones for as long.
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class HeadMemory {
    /** Who holds no more than that always goes on. */
    public static final int SMALL_BYTES = 4096;

    /** What every exchange has doesn't count. */
    private static final int FREE_BYTES = 1024;

    private final long bytesMax;
    private final Runnable onShort;
    private long smallBytes;
    private long largeBytes;

    /**
     * No heads yet, which may hold so much.
     *
     * @param onShort is told of each that doesn't go on
     */
    public HeadMemory(long bytesMax, Runnable onShort) {
        this.bytesMax = bytesMax;
        this.onShort = onShort;
    }

    /** What counts of so much. */
    public static int counted(int heldBytes) {
        return heldBytes > FREE_BYTES ? heldBytes : 0;
    }

    /**
     * What somebody holds has changed, which it has whatever this says.
     *
     * @param before what counted of it
     * @param now what does
     * @return whether it goes on: it holds little, no more than before, or there is room
     */
    public boolean hold(int before, int now) {
        add(before, -before);
        add(now, now);
        boolean room =
                now <= SMALL_BYTES || now <= before || largeBytes <= bytesMax - Math.min(smallBytes, bytesMax / 2);
        if (!room) {
            onShort.run();
        }
        return room;
    }

    private void add(int held, int bytes) {
        if (held <= SMALL_BYTES) {
            smallBytes += bytes;
        } else {
            largeBytes += bytes;
        }
    }

    /** What is held. */
    public long bytes() {
        return smallBytes + largeBytes;
    }
}
