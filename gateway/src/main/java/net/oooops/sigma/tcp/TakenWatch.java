package net.oooops.sigma.tcp;

import io.netty.channel.Channel;
import net.oooops.sigma.time.StallWatch;
import org.jspecify.annotations.Nullable;

/**
 * Whether a session is idle: no byte passes, and neither of its sides takes anything of what lies in the kernel for it.
 *
 * <p>Called on the event loop of both connections only.
 */
final class TakenWatch {
    private final StallWatch client;
    private @Nullable StallWatch node;
    private long idleNanos;

    /** A session whose node isn't known yet. */
    TakenWatch(Channel client, long idleNanos) {
        this.client = new StallWatch(client, idleNanos);
        this.idleNanos = idleNanos;
    }

    /** Bytes may pass from now on. */
    void begin(Channel toNode, long nowNanos) {
        StallWatch fresh = new StallWatch(toNode, idleNanos);
        node = fresh;
        client.begin(0, nowNanos);
        fresh.begin(0, nowNanos);
    }

    /** It may be idle for so long. */
    void within(long nanos) {
        idleNanos = nanos;
        client.within(nanos);
        if (node != null) {
            node.within(nanos);
        }
    }

    /**
     * Looks.
     *
     * @param passedBytes that were passed on, both ways together
     * @return when to look again, in nanoseconds from now; 0 where it was idle for as long as it may be
     */
    long look(long passedBytes, long nowNanos) {
        long ofClient = client.look(passedBytes, nowNanos);
        StallWatch other = node;
        return other == null ? ofClient : Math.max(ofClient, other.look(passedBytes, nowNanos));
    }
}
