package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/**
 * The window of all streams of one connection together (RFC 9113 section 5.2), and how large those of single streams are. That of the
 * connection is opened again as soon as its bytes were read, so that a stream that nobody reads doesn't hold up others; where memory is
 * short, it is smaller by what waits of such streams. Those of streams grow while a client fills them within the time that an answer takes to come
 * back: as a connection's bandwidth and delay ask for.
 *
 * <p>Called on the connection's event loop only.
 */
final class Http2Input extends Timed {
    /** So many windows of a stream are that of the connection. */
    private static final int STREAMS_AT_ONCE = 4;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The content of a PING that measures. */
    private static final long MEASURE = 0x7369_676D_6162_6470L;

    private final Http2Output output;
    private final DeadlineWheel wheel;
    private final Http2Connection connection;
    private final int streamWindowMax;

    private int streamWindow;
    private long left = Frames.WINDOW_BYTES_FIRST;
    private int unacknowledged;
    private boolean held;
    private boolean measuring;
    private long sinceMeasured;

    Http2Input(Http2Output output, DeadlineWheel wheel, int streamWindowMax, Http2Connection connection) {
        this.output = output;
        this.wheel = wheel;
        this.streamWindowMax = streamWindowMax;
        this.connection = connection;
        this.streamWindow = Math.min(Frames.WINDOW_BYTES_FIRST, streamWindowMax);
    }

    /** What the peer may send on each stream. */
    int streamWindow() {
        return streamWindow;
    }

    /** What may come on a stream that begins. The peer may not know yet that it is less than what holds where nothing is said. */
    int firstWindow() {
        return Math.max(streamWindow, Frames.WINDOW_BYTES_FIRST);
    }

    private long window() {
        return (long) STREAMS_AT_ONCE * streamWindow;
    }

    /** Opens the window of the connection: behind the settings. */
    void open() {
        widen();
    }

    private void widen() {
        long more = window() - left - unacknowledged;
        if (more > 0) {
            left += more;
            output.frames().windowUpdate(0, (int) more);
        }
    }

    /** So many bytes come. Whether they may. */
    boolean receive(int bytes) {
        left -= bytes;
        return left >= 0;
    }

    /** They were read. */
    void received(int bytes) {
        unacknowledged += bytes;
        if (unacknowledged >= window() / 2) {
            acknowledge();
        }
        if (streamWindow < streamWindowMax) {
            sinceMeasured += bytes;
            if (!measuring && sinceMeasured >= streamWindow / 2) {
                measuring = true;
                sinceMeasured = 0;
                output.frames().ping(MEASURE, false);
                output.flushSoon();
            }
        }
    }

    private void acknowledge() {
        long waiting = output.memory().isShort() ? unwantedBytes() : 0;
        held = waiting > 0;
        int gone = (int) Math.max(0, unacknowledged - waiting);
        if (gone > 0) {
            output.frames().windowUpdate(0, gone);
            output.flushSoon();
            left += gone;
            unacknowledged -= gone;
        }
        if (held) {
            wheel.arm(this, LOOK_NANOS);
        }
    }

    /** Whether memory is short, and the window smaller by what waits. */
    boolean isHeld() {
        return held;
    }

    /** What came on streams that nobody wants more of for now. */
    private long unwantedBytes() {
        long unwanted = 0;
        for (Http2Stream stream : connection.streams()) {
            unwanted += stream.isPaused() ? stream.unacknowledged() : 0;
        }
        return unwanted;
    }

    /** Looks again whether there is memory. */
    @Override
    protected void onDeadline() {
        acknowledge();
        if (!held) {
            connection.onReleased();
        }
    }

    /**
     * A PING has come back.
     *
     * @return by how much the windows of all streams have grown; 0 where they haven't
     */
    int answered(long content) {
        if (content != MEASURE || !measuring) {
            return 0;
        }
        measuring = false;
        boolean filled = sinceMeasured >= streamWindow / 3L * 2;
        sinceMeasured = 0;
        if (!filled || output.memory().isShort()) {
            return 0;
        }
        int before = streamWindow;
        streamWindow = (int) Math.min(2L * before, streamWindowMax);
        output.frames().settings(Frames.INITIAL_WINDOW_SIZE, streamWindow);
        widen();
        output.flushSoon();
        return streamWindow - before;
    }

    /** The connection is closed. */
    void close() {
        wheel.remove(this);
    }
}
