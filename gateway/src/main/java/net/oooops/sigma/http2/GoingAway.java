package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/**
 * The end of a connection that costs nobody a request (RFC 9113 section 6.8): says that it will go away while it still takes what comes,
 * and a round trip later, when the client must have heard it, which request was the last.
 *
 * <pre>
 *   begin ─▶ (PING comes back, or a second passes) ─▶ Http2ServerConnection.lastRequest
 * </pre>
 */
final class GoingAway extends Timed {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The content of the PING that tells that a client has heard of it. */
    private static final long HEARD = 0x7369_676D_6167_6F61L;

    private final Http2ServerConnection connection;
    private final Http2Output output;
    private final DeadlineWheel wheel;
    private boolean begun;
    private boolean said;
    private int lastId;

    GoingAway(Http2ServerConnection connection, Http2Output output, DeadlineWheel wheel) {
        this.connection = connection;
        this.output = output;
        this.wheel = wheel;
    }

    void begin() {
        if (!begun) {
            begun = true;
            output.frames().goAway(Frames.STREAM_LIMIT, Http2Error.NO_ERROR);
            output.frames().ping(HEARD, false);
            output.flushSoon();
            wheel.arm(this, PATIENCE_NANOS);
        }
    }

    /** A PING has come back. */
    void answered(long content) {
        if (content == HEARD && begun) {
            onDeadline();
        }
    }

    /** Whether a request on that stream comes, or came, too late. */
    boolean refuses(int id) {
        return said && id > lastId;
    }

    /** The connection ends in another way, or has ended. */
    void stop() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        if (!said) {
            wheel.disarm(this);
            said = true;
            lastId = connection.lastId();
            connection.lastRequest();
        }
    }
}
