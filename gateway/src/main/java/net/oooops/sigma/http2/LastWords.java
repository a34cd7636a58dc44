package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/**
 * What is said behind answers that came before their requests were whole: that nobody wants more of them (RST_STREAM with NO_ERROR, RFC 9113 section 8.1). It is
 * said a moment later than the answer's end, some tenths of a second, as curl before 8.0 throws an answer away when it reads both at once; and not at all to a
 * client that has ended its stream meanwhile. Until then the stream's window keeps it from sending much.
 *
 * <p>Belongs to one connection; called on its event loop only.
 */
final class LastWords extends Timed {
    /** The first waits for so long at least; those that come while it does wait for the next time, too. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** No more wait than the connection knows as reset: see {@link StreamTable#mayStillCome}. */
    private static final int MOST = 16;

    private final Http2Output output;
    private final DeadlineWheel wheel;
    private final int[] ids = new int[MOST];
    private int count;
    /** So many of them are due when it is looked next. */
    private int due;

    LastWords(Http2Output output, DeadlineWheel wheel) {
        this.output = output;
        this.wheel = wheel;
    }

    /** Has it said of that stream. */
    void behind(int id) {
        if (count == MOST) {
            say(1);
        }
        if (count == 0) {
            due = 1;
            wheel.arm(this, PAUSE_NANOS);
        }
        ids[count] = id;
        count++;
    }

    /** Its client has ended that stream. */
    void without(int id) {
        for (int i = 0; i < count; i++) {
            if (ids[i] == id) {
                remove(i, 1);
                return;
            }
        }
    }

    /** The connection ends with what has been said. */
    void sayAll() {
        say(count);
    }

    /** The connection ends, or has ended. */
    void stop() {
        count = 0;
        due = 0;
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        wheel.disarm(this);
        say(due);
        due = count;
        if (count > 0) {
            wheel.arm(this, PAUSE_NANOS);
        }
    }

    /** The first ones. */
    private void say(int first) {
        for (int i = 0; i < first; i++) {
            output.frames().reset(ids[i], Http2Error.NO_ERROR);
        }
        if (first > 0) {
            remove(0, first);
            output.flushSoon();
        }
    }

    private void remove(int from, int length) {
        System.arraycopy(ids, from + length, ids, from, count - from - length);
        count -= length;
        due = Math.max(0, due - Math.clamp(due - from, 0, length));
    }
}
