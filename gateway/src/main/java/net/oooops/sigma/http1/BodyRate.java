package net.oooops.sigma.http1;

import net.oooops.sigma.config.Timeouts;

/** How fast a request's body comes: a client that sends one byte now and then must not hold a connection for ever. */
final class BodyRate {
    private static final double NANOS_PER_SECOND = 1e9;

    private boolean begun;
    private long startNanos;
    private long bytes;

    /** Another body is awaited. */
    void await() {
        begun = false;
        bytes = 0;
    }

    /** Bytes of the body came. Not before the first of them it is measured: a client may wait for 100 (Continue). */
    void onBytes(long nowNanos) {
        if (!begun) {
            begin(nowNanos);
        }
    }

    /** Begins to measure, at the body's first byte or when reading goes on after a pause that wasn't the client's. */
    void begin(long nowNanos) {
        begun = true;
        startNanos = nowNanos;
        bytes = 0;
    }

    void add(int count) {
        bytes += count;
    }

    boolean isTooSlow(long nowNanos, Timeouts timeouts) {
        long elapsedNanos = nowNanos - startNanos;
        return elapsedNanos > timeouts.bodyMinRateAfterNanos()
                && bytes < elapsedNanos / NANOS_PER_SECOND * timeouts.bodyMinRateBytesPerSecond();
    }
}
