package net.oooops.sigma.http2;

import io.netty.channel.Channel;
import io.netty.channel.SingleThreadEventLoop;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.tls.SecureEnd;

/**
 * The way out of one connection: its frames, the window that all its streams share (RFC 9113 section 5.2), and whose turn it is where not
 * all can send. What is written in one turn of the event loop leaves together at its end.
 *
 * <p>Called on the connection's event loop only.
 */
final class Http2Output implements Runnable {
    private final Channel channel;
    private final SingleThreadEventLoop loop;
    private final RelayMemory memory;
    private final Outlet outlet;
    private final FrameWriter frames;
    private final BlockWriter blocks;
    private final SendQueue queue = new SendQueue();

    private long window = Frames.WINDOW_BYTES_FIRST;
    private int streamWindow = Frames.WINDOW_BYTES_FIRST;
    private long bodyBytes;
    private boolean flushes;
    private boolean resuming;
    private boolean isFinal;

    Http2Output(Channel channel, RelayMemory memory, int writeBufferBytesMax, Http2Room room) {
        this.channel = channel;
        this.loop = (SingleThreadEventLoop) channel.eventLoop();
        this.memory = memory;
        this.outlet = new Outlet(channel, memory, writeBufferBytesMax);
        this.frames = new FrameWriter(outlet);
        this.blocks = new BlockWriter(room, frames, SecureEnd.isSecure(channel));
    }

    Channel channel() {
        return channel;
    }

    FrameWriter frames() {
        return frames;
    }

    BlockWriter blocks() {
        return blocks;
    }

    Outlet outlet() {
        return outlet;
    }

    RelayMemory memory() {
        return memory;
    }

    /** What a stream that begins may send (the peer's SETTINGS_INITIAL_WINDOW_SIZE). */
    int streamWindow() {
        return streamWindow;
    }

    void streamWindow(int bytes) {
        streamWindow = bytes;
    }

    /** What all streams together may send. */
    long window() {
        return window;
    }

    /** The peer takes so many bytes more. Whether that is still a window that may be (RFC 9113 section 6.9.1). */
    boolean grow(int bytes) {
        window += bytes;
        return window <= Frames.WINDOW_BYTES_LIMIT;
    }

    /** The peer says nothing more: no window is opened any more, its own or one of a stream. */
    void closeWindows() {
        isFinal = true;
    }

    /** Whether windows stay as they are. */
    boolean isFinal() {
        return isFinal;
    }

    /** So many bytes of a body were written. */
    void sent(int bytes) {
        window -= bytes;
        bodyBytes += bytes;
        flushSoon();
    }

    /** A figure that grows as the peer takes bodies: by what it opens the window for, or, where that is open, by what leaves. */
    long taken() {
        return window > 0 ? outlet.sentBytes() : bodyBytes;
    }

    /** Whether the connection takes more of a body. */
    boolean isOpen() {
        return window > 0 && hasRoom();
    }

    private boolean hasRoom() {
        if (!outlet.isWritable()) {
            outlet.flush();
        }
        return outlet.isWritable();
    }

    /** The stream waits for its turn. */
    void await(Http2Stream stream) {
        if (stream.queuedAt < 0) {
            queue.add(stream);
        }
    }

    /** It no longer does. */
    void forget(Http2Stream stream) {
        queue.remove(stream);
    }

    /** The connection may take more: those that wait get their turns. */
    void resume() {
        if (resuming) {
            return;
        }
        resuming = true;
        while (!queue.isEmpty() && isOpen()) {
            Http2Stream next = queue.poll();
            if (next != null && next.takeTurn() && next.queuedAt < 0) {
                if (next.isIncremental()) {
                    queue.add(next);
                } else {
                    queue.addFirst(next);
                }
            }
        }
        resuming = false;
        flushSoon();
    }

    /** What was written leaves when this turn of the event loop ends. */
    void flushSoon() {
        if (!flushes) {
            flushes = true;
            loop.executeAfterEventLoopIteration(this);
        }
    }

    /** Sends now. */
    void flush() {
        outlet.flush();
    }

    /** The turn of the event loop ends. */
    @Override
    public void run() {
        flushes = false;
        outlet.flush();
    }
}
