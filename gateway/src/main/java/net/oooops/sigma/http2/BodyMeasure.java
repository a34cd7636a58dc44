package net.oooops.sigma.http2;

import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;

/** How long the body of a request is, beside how long it is to be, and how fast it comes. Used for one body after the other. */
final class BodyMeasure {
    private final BodyRate rate = new BodyRate();
    /** As Content-Length has it; -1 where nothing is said. */
    private long expectedBytes;

    private long bytesMax;
    private long bytes;
    private boolean unbounded;

    /** Another body is awaited. */
    void begin(long expected, long most) {
        expectedBytes = expected;
        bytesMax = most;
        bytes = 0;
        unbounded = false;
        rate.await();
    }

    /** It has no length, nor a rate to keep: it is a stream of messages, or no body at all. */
    void expectMessages() {
        unbounded = true;
    }

    /** So many bytes came. Why they aren't taken; null where they are. */
    @Nullable Refusal add(int count, long nowNanos) {
        bytes += count;
        rate.onBytes(nowNanos);
        rate.add(count);
        if (expectedBytes >= 0 && bytes > expectedBytes) {
            return Refusal.BODY_LENGTH;
        }
        return bytes > bytesMax ? Refusal.BODY_TOO_LARGE : null;
    }

    /** It isn't read, or is read again: the time between doesn't count. */
    void pause(boolean pause, long nowNanos) {
        rate.pause(pause, nowNanos);
    }

    boolean isTooSlow(long nowNanos, Timeouts timeouts) {
        return !unbounded && rate.isTooSlow(nowNanos, timeouts);
    }

    /** Whether more was announced than has come. */
    boolean isTooShort() {
        return expectedBytes >= 0 && bytes < expectedBytes;
    }
}
