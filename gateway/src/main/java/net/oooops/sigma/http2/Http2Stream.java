package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.BodyParts;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a connection: its windows both ways (RFC 9113 section 5.2), and what of the body that is sent waits for one of them. Used
 * for one stream after the other.
 *
 * <p>Called on the connection's event loop only.
 */
abstract class Http2Stream extends Timed {
    /** RFC 9218 section 4.1: where nothing is said. */
    private static final int URGENCY_DEFAULT = 3;

    // Linked by SendQueue.
    @Nullable Http2Stream before;

    @Nullable Http2Stream after;

    /** At which urgency it waits there; -1 where it doesn't. */
    int queuedAt = -1;

    private final Http2Output output;
    private final HeadWriter writer;
    private final BodyParts parts = new BodyParts();

    private int id;
    private int urgency;
    private boolean incremental;

    private long sendWindow;
    /** What is left of the body's length; more than any body has where that isn't known. */
    private long lengthLeft;

    private boolean outputEnded;
    private boolean outputSent;
    private @Nullable Trailers trailers;
    private long writtenBytes;
    private long unsentBytes;

    private long receivedBytes;
    private long receiveWindow;
    /** What was received, and the peer hasn't been told that it may send in its place. */
    private int unacknowledged;

    private boolean paused;
    private boolean inputEnded;

    /** @param writer what the Worker's heads are written with */
    Http2Stream(Http2Output output, HeadWriter writer) {
        this.output = output;
        this.writer = writer;
    }

    /** Another stream begins. */
    final void open(int streamId, long receiveWindowBytes) {
        id = streamId;
        urgency = URGENCY_DEFAULT;
        incremental = false;
        sendWindow = output.streamWindow();
        lengthLeft = Long.MAX_VALUE;
        outputEnded = false;
        outputSent = false;
        trailers = null;
        writtenBytes = 0;
        unsentBytes = 0;
        receivedBytes = 0;
        receiveWindow = receiveWindowBytes;
        unacknowledged = 0;
        paused = false;
        inputEnded = false;
    }

    /** It is over. */
    final void shut() {
        output.forget(this);
        unsentBytes += parts.bytes();
        parts.clear();
        outputEnded = true;
        outputSent = true;
        inputEnded = true;
        trailers = null;
    }

    final int id() {
        return id;
    }

    final Http2Output output() {
        return output;
    }

    /** What is to be written of a head: nothing yet. */
    final HeadWriter lines() {
        return writer.begin();
    }

    // Priority (RFC 9218)

    final int urgency() {
        return urgency;
    }

    /** Whether it takes turns with others of its urgency. */
    final boolean isIncremental() {
        return incremental;
    }

    /** The client says what is urgent. */
    final void prioritize(int asUrgent, boolean inTurns) {
        incremental = inTurns;
        if (urgency != asUrgent) {
            boolean waits = queuedAt >= 0;
            output.forget(this);
            urgency = asUrgent;
            if (waits) {
                output.await(this);
            }
        }
    }

    // The body that is sent

    /** More of it may be written. */
    abstract void onWritable();

    /** Its end has been written. */
    abstract void onOutputSent();

    /** How long it is: the last byte is the end then. */
    final void length(long bytes) {
        lengthLeft = bytes;
    }

    /** The head was written, and is all that there is. */
    final void endWithHead() {
        outputEnded = true;
        sentEnd();
    }

    /** So many bytes of heads were written. */
    final void wrote(int bytes) {
        writtenBytes += bytes;
        output.flushSoon();
    }

    public final void flush() {
        output.flushSoon();
    }

    public final boolean isWritable() {
        if (outputSent) {
            // What is written now is dropped.
            return true;
        }
        boolean writable = !parts.isWaiting() && sendWindow > 0 && output.isOpen();
        if (!writable) {
            await();
        }
        return writable;
    }

    /** Its turn comes when the connection takes more; where its own window is used up, not before that grows. */
    private void await() {
        if (sendWindow > 0) {
            output.await(this);
        }
        onStalled();
    }

    /** It waits for its turn, or for its window: the peer has to do something. */
    abstract void onStalled();

    /** Writes the next {@code count} bytes of {@code in}, or keeps them until they may be. */
    public final void content(ByteBuf in, int count) {
        if (outputEnded) {
            in.skipBytes(count);
            return;
        }
        int left = count;
        while (left > 0 && !parts.isWaiting() && sendWindow > 0 && output.isOpen()) {
            int sent = frameBytes(left);
            send(in, sent);
            left -= sent;
        }
        if (left > 0) {
            output.memory().received(left);
            parts.add(in, left);
            await();
        } else if (outputSent) {
            onOutputSent();
        }
    }

    /** Writes prepared bytes, or keeps them until they may be. */
    public final void content(byte[] prepared, int count) {
        if (outputEnded || count == 0) {
            return;
        }
        // That may let others send, which takes from the window.
        boolean isOpen = output.isOpen();
        boolean atOnce = isOpen
                && count <= Frames.PAYLOAD_BYTES_MAX
                && !parts.isWaiting()
                && sendWindow >= count
                && output.window() >= count;
        if (!atOnce) {
            parts.add(prepared, count);
            output.memory().received(count);
            await();
            return;
        }
        boolean last = lengthLeft == count;
        output.frames().data(id, prepared, count, last);
        account(count, last);
        if (outputSent) {
            onOutputSent();
        }
    }

    private int frameBytes(int left) {
        long most = Math.min(Math.min(sendWindow, output.window()), Frames.PAYLOAD_BYTES_MAX);
        return (int) Math.min(left, most);
    }

    private void send(ByteBuf in, int count) {
        boolean last = lengthLeft == count;
        output.frames().data(id, in, count, last);
        account(count, last);
    }

    private void account(int count, boolean last) {
        lengthLeft -= count;
        sendWindow -= count;
        writtenBytes += Frames.HEADER_BYTES + count;
        output.sent(count);
        onProgress();
        if (last) {
            outputEnded = true;
            outputSent = true;
        }
    }

    /** A part of the body was written. */
    abstract void onProgress();

    /** There is no more of the body. */
    public void end(@Nullable Trailers section) {
        if (outputEnded) {
            return;
        }
        outputEnded = true;
        trailers = section;
        if (!parts.isWaiting()) {
            writeEnd();
        }
    }

    private void writeEnd() {
        Trailers section = trailers;
        if (section == null) {
            output.frames().endOfData(id);
            writtenBytes += Frames.HEADER_BYTES;
        } else {
            HeadWriter lines = lines();
            lines.fields(section);
            writtenBytes += output.blocks().trailers(id, lines);
        }
        output.flushSoon();
        sentEnd();
    }

    private void sentEnd() {
        outputSent = true;
        onOutputSent();
    }

    /** Its turn has come: sends a frame, or hears that more may be written. Whether it has more that may be sent. */
    final boolean takeTurn() {
        ByteBuf next = parts.peek();
        if (next == null) {
            if (!outputEnded && sendWindow > 0) {
                onWritable();
            }
            return false;
        }
        if (sendWindow <= 0) {
            return false;
        }
        int count = frameBytes(next.readableBytes());
        send(next, count);
        parts.moved(count);
        if (parts.isWaiting()) {
            onStalled();
            return sendWindow > 0;
        }
        if (outputSent) {
            onOutputSent();
            return false;
        }
        if (outputEnded) {
            writeEnd();
            return false;
        }
        return true;
    }

    /** The peer takes so many bytes more on this stream, or fewer. Whether that is still a window that may be. */
    final boolean growSend(long bytes) {
        boolean blocked = sendWindow <= 0;
        sendWindow += bytes;
        if (sendWindow > Frames.WINDOW_BYTES_LIMIT) {
            return false;
        }
        if (blocked && sendWindow > 0 && !outputSent) {
            output.await(this);
        }
        return true;
    }

    /** Whether its own window is used up. */
    final boolean isWindowUsedUp() {
        return sendWindow <= 0;
    }

    /** Whether nothing of its body can be sent any more: it needs a window, and the peer opens none. */
    final boolean isShutOut() {
        return output.isFinal() && (sendWindow <= 0 || output.window() <= 0);
    }

    /** Whether trailers may follow at once: nothing of the body waits, and nobody was told how long it is. */
    final boolean mayEndHere() {
        return !outputEnded && !parts.isWaiting() && lengthLeft > Long.MAX_VALUE / 2;
    }

    final boolean isOutputEnded() {
        return outputEnded;
    }

    final boolean isOutputSent() {
        return outputSent;
    }

    /** What of the body waits. */
    final long waitingHere() {
        return parts.heldBytes();
    }

    public final long takeWrittenBytes() {
        long taken = writtenBytes;
        writtenBytes = 0;
        return taken;
    }

    /** How much of the body waits, or was still waiting at its end. */
    public final long unsentBytes() {
        return unsentBytes + parts.bytes();
    }

    /** All that was read at once has been told. */
    abstract void onPause();

    // The body that is received

    /** So many bytes of content came. */
    final void receivedBody(int count) {
        receivedBytes += count;
    }

    public final long takeReceivedBytes() {
        long taken = receivedBytes;
        receivedBytes = 0;
        return taken;
    }

    /** So many bytes of it come. Whether they may. */
    final boolean receive(int bytes) {
        receiveWindow -= bytes;
        return receiveWindow >= 0;
    }

    /** So many bytes were received, and may be followed by others, unless nobody wants them now. */
    final void received(int bytes, int windowBytes) {
        unacknowledged += bytes;
        if (!paused && unacknowledged >= windowBytes / 2) {
            acknowledge();
        }
    }

    /** The peer may send as much again as was received, unless nobody wants that now. */
    final void acknowledgeRead() {
        if (!paused) {
            acknowledge();
        }
    }

    private void acknowledge() {
        if (unacknowledged > 0 && !inputEnded) {
            output.frames().windowUpdate(id, unacknowledged);
            output.flushSoon();
            receiveWindow += unacknowledged;
            unacknowledged = 0;
        }
    }

    /** The window that the peer was told of is another one (SETTINGS_INITIAL_WINDOW_SIZE). */
    final void growReceive(int bytes) {
        receiveWindow += bytes;
    }

    /** Nobody wants more of it now, or somebody does again. */
    final void pauseReceiving(boolean pause) {
        paused = pause;
        if (!pause) {
            acknowledge();
        }
    }

    final boolean isPaused() {
        return paused;
    }

    /** What was received, and nothing else may come in its place yet. */
    final int unacknowledged() {
        return unacknowledged;
    }

    final boolean isInputEnded() {
        return inputEnded;
    }

    final void inputEnds() {
        inputEnded = true;
    }
}
