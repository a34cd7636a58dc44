package net.oooops.sigma.testkit;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection that a {@link ScriptedUpstream} accepted. Reading is for the script, on the connection's own virtual thread; what the
 * script does not do meanwhile may be done from the test's thread: {@link #write}, {@link #halfClose}, {@link #close} and {@link #reset},
 * and looking at it.
 */
public final class UpstreamConnection {
    /** So many of the bytes that no script asked for are kept. */
    public static final int UNEXPECTED_BYTES_MAX = 64 * 1024;

    private final int number;
    private final Socket accepted;
    private final Wrapping wrapping;
    private final Recording recording;
    private volatile Wires wires;
    private final AtomicReference<ConnectionEnd> end = new AtomicReference<>(ConnectionEnd.OPEN);
    private volatile byte[] unexpected = new byte[0];
    private volatile @Nullable ReceivedRequest request;
    private volatile @Nullable Thread thread;
    private @Nullable BodyReader body;

    /** What is spoken through. */
    private record Wires(Socket socket, WireInput in, WireOutput out) {
        static Wires of(Socket socket) throws IOException {
            return new Wires(socket, new WireInput(socket), new WireOutput(socket));
        }
    }

    UpstreamConnection(int number, Socket accepted, Wrapping wrapping, Recording recording) throws IOException {
        this.number = number;
        this.accepted = accepted;
        this.wrapping = wrapping;
        this.recording = recording;
        this.wires = Wires.of(accepted);
    }

    /** Plays a script on a virtual thread of its own. */
    void play(Step script) {
        thread = Thread.ofVirtual().name("upstream-connection-" + number).start(() -> run(script));
    }

    private void run(Step script) {
        try {
            wrap();
            script.run(this);
            awaitPeerClose();
        } catch (PeerClosed e) {
            end.compareAndSet(ConnectionEnd.OPEN, e.end());
        } catch (Malformed e) {
            recording.failed("connection " + number + ": " + e.getMessage() + "; "
                    + wires.in().received());
        } catch (InterruptedException e) {
            end.compareAndSet(ConnectionEnd.OPEN, ConnectionEnd.CLOSED_HERE);
        } catch (IOException | RuntimeException | AssertionError e) {
            if (!isClosed()) {
                recording.failed("connection " + number + ": script failed: " + e);
            }
        } finally {
            keepUnexpected(wires.in().release());
            Quietly.close(wires.socket());
            end.compareAndSet(ConnectionEnd.OPEN, ConnectionEnd.CLOSED_HERE);
            recording.connectionEnded();
        }
    }

    /** What fails here is as if the peer hadn't come. */
    private void wrap() throws PeerClosed {
        try {
            Socket socket = wrapping.wrap(accepted);
            if (socket != accepted) {
                wires = Wires.of(socket);
            }
        } catch (IOException e) {
            throw new PeerClosed(ConnectionEnd.CLOSED_BY_PEER);
        }
    }

    /** Ends the connection and its script, and waits for it. */
    void stop(Deadline deadline) throws InterruptedException {
        close();
        Thread playing = thread;
        if (playing != null) {
            playing.interrupt();
            playing.join(deadline.socketTimeoutMillis());
        }
    }

    /** Its number among all connections of the upstream, from 0, in the order in which they were accepted. */
    public int number() {
        return number;
    }

    /** The peer's port. */
    public int remotePort() {
        return accepted.getPort();
    }

    /** The latest request whose head came on it, or null. */
    public @Nullable ReceivedRequest request() {
        return request;
    }

    /** How it ended, as far as that has been seen: a FIN of the peer is seen where the script reads. */
    public ConnectionEnd end() {
        return end.get();
    }

    /** Whether it has ended. */
    public boolean isClosed() {
        return end.get() != ConnectionEnd.OPEN;
    }

    /**
     * What came and was not asked for: after the script's end, or as an unfinished head. Complete up to
     * {@link #UNEXPECTED_BYTES_MAX} once the connection has ended.
     */
    public byte[] unexpected() {
        return unexpected.clone();
    }

    /**
     * Waits for the next request's head and records it; the rest of the body before is read first.
     *
     * @throws IOException when the connection ends before
     */
    public ReceivedRequest readHead() throws IOException {
        if (body != null) {
            readBody();
        }
        ReceivedRequest before = request;
        ReceivedRequest next =
                recording.add(wires.in().readHead(), number, before == null ? 0 : before.numberOnConnection() + 1);
        body = BodyReader.ofRequest(wires.in(), next.headers(), next.rawBody());
        request = next;
        if (body.ended()) {
            recording.requestRead();
        }
        return next;
    }

    /**
     * Reads the body of the request to its end.
     *
     * @throws IOException when the connection ends before
     */
    public ReceivedRequest readBody() throws IOException {
        readBody(Long.MAX_VALUE);
        return current();
    }

    /**
     * Reads so many bytes of the body of the request, or fewer where it ends before.
     *
     * @return how many
     * @throws IOException when the connection ends before
     */
    public long readBody(long bytesMax) throws IOException {
        ReceivedRequest reading = current();
        BodyReader reader = body;
        if (reader == null || reader.ended()) {
            return 0;
        }
        long count = reader.read(bytesMax);
        switch (reading.bodyEnd()) {
            case CUT_BY_CLOSE -> throw new PeerClosed(ConnectionEnd.CLOSED_BY_PEER);
            case CUT_BY_RESET -> throw new PeerClosed(ConnectionEnd.RESET_BY_PEER);
            case CUT_HERE -> throw new PeerClosed(ConnectionEnd.CLOSED_HERE);
            case UNREAD -> {}
            case NONE, LENGTH, CHUNKED, CLOSE -> recording.requestRead();
        }
        return count;
    }

    /**
     * Waits for the next whole request and records it.
     *
     * @throws IOException when the connection ends before
     */
    public ReceivedRequest readRequest() throws IOException {
        readHead();
        return readBody();
    }

    private ReceivedRequest current() {
        ReceivedRequest current = request;
        if (current == null) {
            throw new IllegalStateException("body: no head was read before (expected: readHead first)");
        }
        return current;
    }

    /** Writes text, as ISO-8859-1, in one write. */
    public void write(String text) throws IOException {
        write(Wire.latin1(text));
    }

    /**
     * Writes bytes in one write.
     *
     * @throws IOException when the connection has ended
     */
    public void write(byte[] bytes) throws IOException {
        wires.out().write(bytes);
    }

    WireOutput output() {
        return wires.out();
    }

    /** Sends a FIN; reading goes on. */
    public void halfClose() throws IOException {
        wires.socket().shutdownOutput();
    }

    /** Closes with a FIN; with a RST, as the system decides, where received bytes were not read. */
    public void close() {
        end.compareAndSet(ConnectionEnd.OPEN, ConnectionEnd.CLOSED_HERE);
        Quietly.close(wires.socket());
    }

    /** Closes with a RST. */
    public void reset() {
        end.compareAndSet(ConnectionEnd.OPEN, ConnectionEnd.RESET_HERE);
        Quietly.reset(accepted);
    }

    /**
     * Reads the rest of the body, if any, and then whatever comes, until the connection ends; does nothing where it has.
     *
     * @throws IOException when it ends with unread parts of the body
     */
    public void awaitPeerClose() throws IOException {
        if (isClosed()) {
            return;
        }
        if (body != null) {
            readBody();
        }
        try {
            while (true) {
                wires.in().require();
                keepUnexpected(wires.in().readExactly(wires.in().available()));
            }
        } catch (PeerClosed e) {
            end.compareAndSet(ConnectionEnd.OPEN, e.end());
        }
    }

    private void keepUnexpected(byte[] more) {
        int room = Math.min(more.length, UNEXPECTED_BYTES_MAX - unexpected.length);
        if (room > 0) {
            byte[] kept = Arrays.copyOf(unexpected, unexpected.length + room);
            System.arraycopy(more, 0, kept, unexpected.length, room);
            unexpected = kept;
        }
    }

    @Override
    public String toString() {
        return "connection " + number + " from port " + accepted.getPort() + ": " + end;
    }
}
