package net.oooops.sigma.http1;

import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.HttpServer;

/**
 * For how long a client that is answered may go on with what it was sending. That is thrown away, and none of it kept: one that sends all before it
 * reads gets to its answer so, where closing would reset the connection first (RFC 9112 section 9.6).
 *
 * <p>Called on the connection's event loop only.
 */
final class Leftover {
    /** What comes, and so how long it may take. */
    enum Patience {
        /** What can't be understood, or is of no request that is answered: {@code timeouts.linger}. */
        BRIEF,
        /** The rest of a body that comes too slowly: for as long as a body may pause, unless nothing comes within {@code timeouts.linger}. */
        SLOW,
        /** The rest of a body: as long as it keeps to the timeouts of bodies, {@code timeouts.body-discard} at most. {@code SLOW} where it doesn't. */
        BODY
    }

    private static final long FOR_EVER_NANOS = Long.MAX_VALUE >> 1;

    private final HttpServer server;
    private final ServerDeadline deadline;
    private final BodyRate rate;
    private Patience patience = Patience.BRIEF;
    private long endNanos;

    /**
     * None yet.
     *
     * @param deadline the connection's, for the timeouts that it goes by
     * @param rate that of the connection's bodies
     */
    Leftover(HttpServer server, ServerDeadline deadline, BodyRate rate) {
        this.server = server;
        this.deadline = deadline;
        this.rate = rate;
    }

    /** From now on that may come: until {@link #limit} for as long as it likes, as its answer may take a plugin's time. */
    void begin(Patience next) {
        if (patience != next) {
            patience = next;
        }
        endNanos = server.clock().nanos() + FOR_EVER_NANOS;
    }

    /** The answer is complete: what is to come has its time from now on. */
    void limit() {
        endNanos = server.clock().nanos() + nanosOf(deadline.timeouts());
    }

    private long nanosOf(Timeouts timeouts) {
        return patience == Patience.BODY ? timeouts.bodyDiscardNanos() : timeouts.bodyIdleNanos();
    }

    /** All of it has the time that others say, from when it was limited. How long more of it may take to come from now on. */
    long follow(Timeouts before, Timeouts now) {
        endNanos += nanosOf(now) - nanosOf(before);
        return waitNanos(now);
    }

    /** Whether it is the rest of a body. */
    boolean isOfBody() {
        return patience != Patience.BRIEF;
    }

    /** Whether it is the rest of a body, and its time is over. */
    boolean isLate() {
        return isOfBody() && leftNanos() == 0;
    }

    /** So many bytes came; whether more may. */
    boolean came(int count) {
        long now = server.clock().nanos();
        if (patience == Patience.BODY) {
            rate.onBytes(now);
            rate.add(count);
            if (rate.isTooSlow(now, deadline.timeouts())) {
                patience = Patience.SLOW;
                long lateNanos = now + deadline.timeouts().bodyIdleNanos();
                endNanos = endNanos - lateNanos > 0 ? lateNanos : endNanos;
            }
        }
        return patience == Patience.BRIEF || endNanos - now > 0;
    }

    /** How long more of it may take to come. */
    long waitNanos() {
        return waitNanos(deadline.timeouts());
    }

    private long waitNanos(Timeouts timeouts) {
        return switch (patience) {
            case BRIEF -> timeouts.lingerNanos();
            case SLOW -> Math.min(timeouts.lingerNanos(), leftNanos());
            case BODY -> Math.min(timeouts.bodyIdleNanos(), leftNanos());
        };
    }

    private long leftNanos() {
        return Math.max(0, endNanos - server.clock().nanos());
    }
}
