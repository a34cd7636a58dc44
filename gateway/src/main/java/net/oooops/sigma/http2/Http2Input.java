package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/**
 * The window of all streams of one connection together (RFC 9113 section 5.2), and how large those of single streams are. That of the
 * connection is opened again as soon as its bytes were read, so that a stream that nobody reads doesn't hold up others. Those of streams grow
 * while a peer fills them within the time that an answer takes to come back: as a connection's bandwidth and delay ask for.
 *
 * <p>Where memory is short, a client's connection has a window that is smaller by what waits of streams that nobody reads: the others on it
 * are its own. A node's carries the streams of many clients. It is told that each stream has a narrow window, so that those that nobody
 * reads bring no more, and as soon as it knows, the connection's is opened again for those that are read.
 *
 * <p>Called on the connection's event loop only.
 */
final class Http2Input extends Timed {
    /** So many windows of a stream are that of the connection. */
    private static final int STREAMS_AT_ONCE = 4;

    /** What a node may send on each stream where memory is short. */
    private static final int NARROW_BYTES = RelayMemory.LITTLE_BYTES;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The content of a PING that measures. */
    private static final long MEASURE = 0x7369_676D_6162_6470L;

    private final Http2Output output;
    private final DeadlineWheel wheel;
    private final Http2Connection connection;
    private final int streamWindowMax;
    private final boolean ofNode;

    private int streamWindow;
    private long left = Frames.WINDOW_BYTES_FIRST;
    private int unacknowledged;
    private boolean held;

    private int settingsSent;
    private int settingsTaken;
    /** With which settings the windows of streams became narrow; 0 where they aren't. */
    private int narrowSince;
    /** Beside that little, what may wait of streams that nobody reads once the node knows of it: more says that it takes no notice. */
    private long toldBytesMax;

    private boolean measuring;
    private long sinceMeasured;

    /**
     * The windows of a connection that begins.
     *
     * @param streamWindowMax how large that of a stream becomes
     * @param ofNode whether the peer is a node
     */
    Http2Input(
            Http2Output output, DeadlineWheel wheel, int streamWindowMax, boolean ofNode, Http2Connection connection) {
        this.output = output;
        this.wheel = wheel;
        this.streamWindowMax = streamWindowMax;
        this.ofNode = ofNode;
        this.connection = connection;
        this.streamWindow = Math.min(Frames.WINDOW_BYTES_FIRST, streamWindowMax);
    }

    /** What is taken of the peer on each stream. It may have been told less. */
    int streamWindow() {
        return streamWindow;
    }

    /** What the peer was told that it may send on each stream. */
    int toldStreamWindow() {
        return narrowSince > 0 ? NARROW_BYTES : streamWindow;
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
        settingsSent = 1;
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
                connection.onMeasure();
                output.flushSoon();
            }
        }
    }

    private void acknowledge() {
        boolean isShort = output.memory().isShort();
        if (isShort && ofNode && narrowSince == 0 && streamWindow > NARROW_BYTES) {
            narrow();
        }
        boolean told = narrowSince > 0 && settingsTaken >= narrowSince;
        long waiting = isShort ? unwantedBytes(told ? NARROW_BYTES : 0) : 0;
        held = waiting > (told ? toldBytesMax : 0);
        int gone = (int) Math.max(0, unacknowledged - (held ? waiting : 0));
        if (gone > 0) {
            output.frames().windowUpdate(0, gone);
            output.flushSoon();
            left += gone;
            unacknowledged -= gone;
        }
        if (held || narrowSince > 0) {
            wheel.arm(this, LOOK_NANOS);
        }
    }

    private void narrow() {
        tellStreamWindow(NARROW_BYTES);
        narrowSince = settingsSent;
        for (Http2Stream stream : connection.streams()) {
            // Of those that are read it may be more than the window is now.
            stream.acknowledgeRead();
        }
    }

    private void tellStreamWindow(int bytes) {
        tell(Frames.INITIAL_WINDOW_SIZE, bytes);
    }

    /** Tells the peer one of the settings. Returns the number of these settings. */
    int tell(int key, int value) {
        output.frames().settings(key, value);
        output.flushSoon();
        settingsSent++;
        return settingsSent;
    }

    /** Whether the peer has taken the settings of that number. */
    boolean areSettingsTaken(int number) {
        return settingsTaken >= number;
    }

    /** The peer has taken settings, in the order in which they were sent. */
    void settingsTaken() {
        settingsTaken++;
        if (settingsTaken == narrowSince) {
            // What was under way still comes.
            toldBytesMax = unwantedBytes(NARROW_BYTES) + window();
            look();
        }
    }

    private void look() {
        boolean before = held;
        acknowledge();
        if (before && !held) {
            connection.onReleased();
        }
    }

    /** Whether memory is short, and the window smaller by what waits. */
    boolean isHeld() {
        return held;
    }

    /** What came on streams that nobody wants more of for now, beside so much on each. */
    private long unwantedBytes(int beside) {
        long unwanted = 0;
        for (Http2Stream stream : connection.streams()) {
            unwanted += stream.isPaused() ? Math.max(0, stream.unacknowledged() - beside) : 0;
        }
        return unwanted;
    }

    /** Looks again whether there is memory. */
    @Override
    protected void onDeadline() {
        if (narrowSince > 0 && !output.memory().isShort()) {
            narrowSince = 0;
            tellStreamWindow(streamWindow);
        }
        look();
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
        if (!filled || narrowSince > 0 || output.memory().isShort()) {
            return 0;
        }
        int before = streamWindow;
        streamWindow = (int) Math.min(2L * before, streamWindowMax);
        tellStreamWindow(streamWindow);
        widen();
        return streamWindow - before;
    }

    /** The connection is closed. */
    void close() {
        wheel.remove(this);
    }
}
