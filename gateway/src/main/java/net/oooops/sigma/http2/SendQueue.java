package net.oooops.sigma.http2;

import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection that have something to send and wait until the connection takes it, in the order in which they get their
 * turn: by urgency, and within one urgency those that came first (RFC 9218 section 10). Linked by the streams themselves.
 */
final class SendQueue {
    /** RFC 9218 section 4.1: 0 to 7, the first one first. */
    static final int URGENCIES = 8;

    private final @Nullable Http2Stream[] first = new Http2Stream[URGENCIES];
    private final @Nullable Http2Stream[] last = new Http2Stream[URGENCIES];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes a stream in, behind the others of its urgency. */
    void add(Http2Stream stream) {
        int urgency = stream.urgency();
        Http2Stream before = last[urgency];
        stream.queuedAt = urgency;
        stream.before = before;
        stream.after = null;
        if (before == null) {
            first[urgency] = stream;
        } else {
            before.after = stream;
        }
        last[urgency] = stream;
        count++;
    }

    /** Takes a stream in, before the others of its urgency: its turn isn't over. */
    void addFirst(Http2Stream stream) {
        int urgency = stream.urgency();
        Http2Stream after = first[urgency];
        stream.queuedAt = urgency;
        stream.before = null;
        stream.after = after;
        if (after == null) {
            last[urgency] = stream;
        } else {
            after.before = stream;
        }
        first[urgency] = stream;
        count++;
    }

    /** Takes a stream out, if it is in. */
    void remove(Http2Stream stream) {
        int urgency = stream.queuedAt;
        if (urgency < 0) {
            return;
        }
        Http2Stream before = stream.before;
        Http2Stream after = stream.after;
        if (before == null) {
            first[urgency] = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last[urgency] = before;
        } else {
            after.before = before;
        }
        stream.queuedAt = -1;
        stream.before = null;
        stream.after = null;
        count--;
    }

    /** Takes the next one out. */
    @Nullable Http2Stream poll() {
        if (count == 0) {
            return null;
        }
        for (int urgency = 0; urgency < URGENCIES; urgency++) {
            Http2Stream next = first[urgency];
            if (next != null) {
                remove(next);
                return next;
            }
        }
        return null;
    }
}
