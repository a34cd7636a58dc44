package net.oooops.sigma.time;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a peer takes what it is sent. Told from a figure that grows as it does, looked at ten times within the time that the peer has: a
 * peer that takes nothing is told after that time, and at most a tenth of it later, without a deadline for each write.
 *
 * <p>A figure of the gateway's own can't grow while a peer reads what lies in the kernel: Linux tells of room only where a third of its send
 * buffer, of up to 4 MiB, is free. So where the figure stands still, each look asks the kernel whether the peer has acknowledged something
 * meanwhile. Only of what had been written by the first look, so that nobody who waits for something else, such as a window of HTTP/2, goes on by
 * what others are sent. What was acknowledged before the first look isn't known: it counts as if something had been then.
 *
 * <p>Called on the connection's event loop only.
 */
public final class StallWatch {
    private static final int LOOKS = 10;
    private static final long UNKNOWN = -1;

    /** Who is asked what a peer has acknowledged. */
    interface Kernel {
        /** Null where that isn't known. */
        @Nullable Acknowledged ask(Channel channel);
    }

    private final Channel channel;
    private final Kernel kernel;
    private long nanosMax;
    private long figure;
    private long sinceNanos;
    private long dueNanos;
    /** At the last look. */
    private long acknowledgedBytes = UNKNOWN;
    /** How much will be once all has arrived that was written by the first look. */
    private long writtenBytes;

    /**
     * Watches the peer of one connection.
     *
     * @param channel of TCP; where the kernel can't be asked of it, the figure alone tells
     * @param nanosMax for how long nothing may be taken
     */
    public StallWatch(Channel channel, long nanosMax) {
        this(channel, nanosMax, Acknowledged::of);
    }

    StallWatch(Channel channel, long nanosMax, Kernel kernel) {
        this.channel = channel;
        this.nanosMax = nanosMax;
        this.kernel = kernel;
    }

    /** From the next look on the peer has so long. May be said before each look: where that is as before, nothing is done. */
    public void within(long nanos) {
        if (nanos != nanosMax) {
            nanosMax = nanos;
            dueNanos = Math.min(dueNanos, sinceNanos + nanos / LOOKS);
        }
    }

    /**
     * Begins to watch.
     *
     * @return when to look, in nanoseconds from now
     */
    public long begin(long figureNow, long nowNanos) {
        figure = figureNow;
        acknowledgedBytes = UNKNOWN;
        return begin(nowNanos);
    }

    private long begin(long nowNanos) {
        sinceNanos = nowNanos;
        return next(nowNanos);
    }

    /**
     * Looks. A figure that has fallen is no progress: where bytes are encrypted, more of them wait than were written. Before it is time, the
     * kernel isn't asked.
     *
     * @return when to look again, in nanoseconds from now; 0 where nothing was taken for as long as may be
     */
    public long look(long figureNow, long nowNanos) {
        boolean grown = figureNow > figure;
        if (grown) {
            figure = figureNow;
            acknowledgedBytes = UNKNOWN;
        }
        if (nowNanos < dueNanos) {
            return grown ? begin(nowNanos) : isOver(nowNanos) ? 0 : dueNanos - nowNanos;
        }
        boolean acknowledged = hasAcknowledged();
        return grown || acknowledged ? begin(nowNanos) : next(nowNanos);
    }

    /** Whether the kernel says that it holds something which the peer hasn't taken. A system call. */
    public boolean isUntaken() {
        Acknowledged now = kernel.ask(channel);
        return now != null && now.waitingBytes() > 0;
    }

    /** The kernel is asked again after a tenth at the earliest, also where it is over for one of two that are watched. */
    private long next(long nowNanos) {
        boolean over = isOver(nowNanos);
        long tenth = nanosMax / LOOKS;
        long next = over ? tenth : Math.min(tenth, sinceNanos + nanosMax - nowNanos);
        dueNanos = nowNanos + next;
        return over ? 0 : next;
    }

    private boolean isOver(long nowNanos) {
        return nowNanos - sinceNanos >= nanosMax;
    }

    private boolean hasAcknowledged() {
        Acknowledged now = kernel.ask(channel);
        if (now == null) {
            return false;
        }
        long before = acknowledgedBytes;
        acknowledgedBytes = now.bytes();
        if (before == UNKNOWN) {
            writtenBytes = now.bytes() + now.waitingBytes() + unsentBytes();
            return now.waitingBytes() > 0;
        }
        return before < writtenBytes && now.bytes() > before;
    }

    /** What the kernel hasn't got yet. */
    private long unsentBytes() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return unsent == null ? 0 : unsent.totalPendingWriteBytes();
    }
}
