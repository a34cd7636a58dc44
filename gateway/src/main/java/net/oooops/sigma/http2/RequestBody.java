package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The body of a stream's request: how long it is, beside how long it is to be, how fast it comes, and how long more of it is awaited. Used for one
 * body after the other.
 *
 * <p>A node of HTTP/1.1 takes a request for complete with the last byte that was announced, and it is malformed if anything else follows
 * (RFC 9113 section 8.1.1): that byte is held until the client has ended its stream, and so is a request with nothing to follow.
 *
 * <p>Called on the connection's event loop only.
 */
final class RequestBody {
    private final Http2Server server;
    private final StreamDeadline deadline;
    private final BodyRate rate = new BodyRate();

    /** As Content-Length has it; -1 where nothing is said. */
    private long expectedBytes;

    private long bytesMax;
    private long bytes;
    private boolean unbounded;
    private byte last;
    private boolean lastHeld;
    /** Its head says that nothing follows, and its end isn't there: the exchange isn't told of it before. */
    private boolean requestHeld;
    /** It has failed by what came of it, or did not in time: what follows is passed over, while a plugin may have its answer. */
    private boolean refused;

    private @Nullable Trailers trailers;

    RequestBody(Http2Server server, StreamDeadline deadline) {
        this.server = server;
        this.deadline = deadline;
    }

    /** A request begins. */
    void begin() {
        requestHeld = false;
        refused = false;
        trailers = null;
        begin(-1, Long.MAX_VALUE);
    }

    /** Its head is there, and says how long it is to be; -1 where it doesn't. Why that isn't taken; null where it is. */
    @Nullable Refusal expect(long expected) {
        long most = server.limits().bodyBytesMax();
        begin(expected, most);
        return expected > most ? Refusal.BODY_TOO_LARGE : null;
    }

    private void begin(long expected, long most) {
        lastHeld = false;
        expectedBytes = expected;
        bytesMax = most;
        bytes = 0;
        unbounded = false;
        rate.await();
    }

    /** It is no body: bytes pass as they come. */
    void beginTunnel() {
        begin(-1, Long.MAX_VALUE);
        // The tunnel sees by itself that something comes.
        expectMessages(0);
    }

    /** Nothing is to follow: the request is held until that is so. */
    void holdRequest() {
        requestHeld = true;
        deadline.awaitBody();
    }

    /** Whether the request was held, which it isn't from now on. */
    boolean takeRequest() {
        boolean was = requestHeld;
        requestHeld = false;
        return was;
    }

    // How it comes

    /** So many bytes came. Why they aren't taken; null where they are. */
    @Nullable Refusal came(int count) {
        bytes += count;
        rate.onBytes(server.clock().nanos());
        rate.add(count);
        if (expectedBytes >= 0 && bytes > expectedBytes) {
            return Refusal.BODY_LENGTH;
        }
        return bytes > bytesMax ? Refusal.BODY_TOO_LARGE : null;
    }

    /**
     * How many of the next {@code count} bytes of {@code in}, which came, may go on: all but the last one of those that were announced.
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

    /** No more of it comes. Why it isn't taken like that; null where it is. */
    @Nullable Refusal end(@Nullable Trailers section) {
        if (expectedBytes >= 0 && bytes < expectedBytes) {
            return Refusal.BODY_LENGTH;
        }
        trailers = section;
        deadline.awaitNoBody();
        return null;
    }

    /** It is complete: the byte that was held, to be told at once; null where none was. */
    @Nullable ByteBuf takeLast() {
        if (!lastHeld) {
            return null;
        }
        lastHeld = false;
        return server.room().single(last);
    }

    /** Whether there is room for what comes behind it. */
    boolean holds(ServerExchange of, @Nullable Trailers section) {
        return section == null || server.mayHoldTrailers(of, section);
    }

    /** What has come behind it, once it is complete. */
    @Nullable Trailers trailers() {
        return trailers;
    }

    /** Its stream is over, and may be kept for another. */
    void close() {
        trailers = null;
    }

    /** It isn't taken: what follows is passed over, and not awaited. Whether that is so for the first time. */
    boolean refuse() {
        boolean first = !refused;
        refused = true;
        deadline.endBody();
        return first;
    }

    boolean isRefused() {
        return refused;
    }

    // How long it is awaited

    /** Its stream isn't read, for no reason of the client's, or is read again: the time between doesn't count. */
    void pause(boolean pause) {
        rate.pause(pause, server.clock().nanos());
        await(!pause);
    }

    /** More of it has to come in time, or need not. */
    void await(boolean inTime) {
        if (inTime) {
            deadline.awaitBody();
        } else {
            deadline.awaitNoBody();
        }
    }

    /** It has no length, nor a rate to keep: it is a stream of messages, which may be quiet as long as that, 0 being for ever. */
    void expectMessages(long idleNanos) {
        unbounded = true;
        deadline.expectMessages(idleNanos);
    }

    /** It has a rate to keep after all. */
    void expectBody() {
        unbounded = false;
        deadline.expectBody();
    }

    /** Whether less of it has come by now than has to. */
    boolean isTooSlow() {
        return !unbounded && rate.isTooSlow(server.clock().nanos(), server.timeouts());
    }
}
