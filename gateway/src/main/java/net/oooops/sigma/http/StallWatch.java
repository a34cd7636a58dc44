package net.oooops.sigma.http;

/**
 * Whether a peer takes what it is sent. Told from a figure that grows as it does, looked at ten times within the time that the peer has: a
 * peer that takes nothing is told after that time, and at most a tenth of it later, without a deadline for each write.
 *
 * <p>Called on the connection's event loop only.
 */
public final class StallWatch {
    private static final int LOOKS = 10;

    private final long nanosMax;
    private long figure;
    private long sinceNanos;

    /** @param nanosMax for how long nothing may be taken */
    public StallWatch(long nanosMax) {
        this.nanosMax = nanosMax;
    }

    /**
     * Begins to watch.
     *
     * @return when to look, in nanoseconds from now
     */
    public long begin(long figureNow, long nowNanos) {
        figure = figureNow;
        sinceNanos = nowNanos;
        return next(nowNanos);
    }

    /**
     * Looks. A figure that has fallen is no progress: where bytes are encrypted, more of them wait than were written.
     *
     * @return when to look again, in nanoseconds from now; 0 where nothing was taken for as long as may be
     */
    public long look(long figureNow, long nowNanos) {
        return figureNow <= figure ? next(nowNanos) : begin(figureNow, nowNanos);
    }

    private long next(long nowNanos) {
        long left = sinceNanos + nanosMax - nowNanos;
        return Math.clamp(left, 0, nanosMax / LOOKS);
    }
}
