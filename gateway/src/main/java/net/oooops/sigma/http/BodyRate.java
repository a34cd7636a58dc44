package net.oooops.sigma.http;

import net.oooops.sigma.config.Timeouts;

/** How fast a request's body comes: a client that sends one byte now and then must not hold a connection for ever. */
public final class BodyRate {
    private static final double NANOS_PER_SECOND = 1e9;

    private boolean begun;
    private long startNanos;
    private long pauseNanos;
    private long bytes;

    /** Another body is awaited. */
    public void await() {
        begun = false;
        bytes = 0;
    }

    /** Bytes of the body came. Not before the first of them it is measured: a client may wait for 100 (Continue). */
    public void onBytes(long nowNanos) {
        if (!begun) {
            begun = true;
            startNanos = nowNanos;
        }
    }

    /** It isn't read, for no reason of the client's, or is read again: the time between doesn't count. */
    public void pause(boolean paused, long nowNanos) {
        if (paused) {
            pauseNanos = nowNanos;
        } else {
            startNanos += nowNanos - pauseNanos;
        }
    }

    /** So many bytes of it came. */
    public void add(int count) {
        bytes += count;
    }

    /** Whether less has come by now than {@code timeouts} ask for. */
    public boolean isTooSlow(long nowNanos, Timeouts timeouts) {
        long elapsedNanos = nowNanos - startNanos;
        return elapsedNanos > timeouts.bodyMinRateAfterNanos()
                && bytes < elapsedNanos / NANOS_PER_SECOND * timeouts.bodyMinRateBytesPerSecond();
    }
}
