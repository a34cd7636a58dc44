package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * How long the body of a request is, beside how long it is to be, and how fast it comes. Used for one body after the other.
 *
 * <p>A node of HTTP/1.1 takes a request for complete with the last byte that was announced, and it is malformed if anything else follows
 * (RFC 9113 section 8.1.1): that byte is held until the client has ended its stream.
 */
final class BodyMeasure {
    private final BodyRate rate = new BodyRate();
    /** As Content-Length has it; -1 where nothing is said. */
    private long expectedBytes;

    private long bytesMax;
    private long bytes;
    private boolean unbounded;
    private byte last;
    private boolean lastHeld;

    /** Another body is awaited. */
    void begin(long expected, long most) {
        lastHeld = false;
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

    /** It has a rate to keep after all. */
    void expectBody() {
        unbounded = false;
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

    /**
     * How many of the next {@code count} bytes of {@code in}, which were added, may go on: all but the last one of those that were announced.
     *
     * @param ends whether nothing follows them
     */
    int mayGoOn(ByteBuf in, int count, boolean ends) {
        lastHeld = bytes == expectedBytes && !ends;
        if (!lastHeld) {
            return count;
        }
        last = in.getByte(in.readerIndex() + count - 1);
        return count - 1;
    }

    /** The body is complete: the byte that was held, to be told at once; null where none was. */
    @Nullable ByteBuf takeLast(Http2Room room) {
        if (!lastHeld) {
            return null;
        }
        lastHeld = false;
        return room.single(last);
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
