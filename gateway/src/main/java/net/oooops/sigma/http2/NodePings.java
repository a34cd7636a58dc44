package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;

/**
 * When a node may be sent the next PING. Servers of gRPC end a connection whose client sends them too often (GOAWAY, ENHANCE_YOUR_CALM,
 * "too_many_pings"): one is free once the node has sent HEADERS or DATA, and five minutes after the one before. Of others they let two pass.
 * Sigma counts as they do, and lets one be too soon, where there is more reason to ask than that time has passed.
 *
 * <p>Called on the connection's event loop only.
 */
final class NodePings {
    /** Five minutes, and what clocks and ways may differ by. */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(310);

    private static final int TOO_SOON_MAX = 1;

    /** The node has said something since it had the last PING, or had none. */
    private boolean free = true;
    /** What came before its PONG may have been sent before it had the PING. */
    private int unansweredCount;

    /** That the node was alive at the last PING says little: a stream has begun since, or that PING was for another end. */
    private boolean pressing;

    private int tooSoonCount;
    private long sentNanos;

    /** Whether the node may be asked for a sign of life. */
    boolean mayAsk(long nowNanos) {
        return free || isApart(nowNanos) || (pressing && tooSoonCount < TOO_SOON_MAX);
    }

    private boolean isApart(long nowNanos) {
        return nowNanos - sentNanos >= APART_NANOS;
    }

    /** A PING is sent that asks for a sign of life. */
    void asked(long nowNanos) {
        sent(nowNanos);
        pressing = false;
    }

    /** A PING is sent that measures. */
    void measured(long nowNanos) {
        sent(nowNanos);
        pressing = true;
    }

    private void sent(long nowNanos) {
        if (free) {
            tooSoonCount = 0;
        } else if (!isApart(nowNanos)) {
            tooSoonCount++;
        }
        free = false;
        unansweredCount++;
        sentNanos = nowNanos;
    }

    /** A stream has begun. */
    void streamBegan() {
        pressing = true;
    }

    /** A PING has come back. */
    void answered() {
        unansweredCount = Math.max(0, unansweredCount - 1);
    }

    /** HEADERS or DATA came. */
    void spoken() {
        if (unansweredCount == 0) {
            free = true;
        }
    }
}
