package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A client, or the end of a connection that a {@link RawServer} accepted, that sends exactly the bytes it is given and shows exactly
 * what comes back. It adds nothing, repairs nothing and follows
 * nothing.
 *
 * <p>Text is ISO-8859-1, with line ends written out. Every operation ends within the deadline of {@link ClientOptions}, or fails with
 * an {@link AssertionError} that shows what had been received. Responses are parsed strictly: what HTTP/1.1 forbids a gateway to send
 * is an {@link AssertionError} too.
 *
 * <p>One thread may send while another one reads; otherwise it is for one thread at a time.
 */
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final WireInput in;
    private final WireOutput out;
    private volatile Duration deadline;
    private final ResponseReader responses;

    private RawClient(Socket socket, Duration deadline) throws IOException {
        this.socket = socket;
        this.in = new WireInput(socket);
        this.out = new WireOutput(socket);
        this.responses = new ResponseReader(in);
        this.deadline = deadline;
    }

    /**
     * Connects to a port of 127.0.0.1.
     *
     * @throws IOException when that fails
     */
    public static RawClient connect(int port) throws IOException {
        return connect(port, ClientOptions.defaults());
    }

    /**
     * Connects.
     *
     * @throws IOException when that fails
     */
    public static RawClient connect(int port, ClientOptions options) throws IOException {
        return connect(port, options, Wrapping.NONE);
    }

    /**
     * Connects, and speaks through what is made of the connection.
     *
     * @throws IOException when that fails
     */
    public static RawClient connect(int port, ClientOptions options, Wrapping wrapping) throws IOException {
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            if (options.receiveBufferBytes() > 0) {
                socket.setReceiveBufferSize(options.receiveBufferBytes());
            }
            if (options.localHost() != null) {
                socket.bind(new InetSocketAddress(InetAddress.getByName(options.localHost()), 0));
            }
            int timeoutMillis = Math.clamp(options.deadline().toMillis(), 1, Integer.MAX_VALUE);
            socket.connect(new InetSocketAddress(options.host(), port), timeoutMillis);
            return new RawClient(wrapping.wrap(socket), options.deadline());
        } catch (IOException e) {
            Quietly.close(socket);
            throw e;
        }
    }

    /** The end of a connection that somebody else made, or accepted: an encrypted one, for example. */
    public static RawClient of(Socket connected, Duration deadline) throws IOException {
        return new RawClient(connected, deadline);
    }

    /** Sets the deadline of each operation from here on. */
    public RawClient deadline(Duration each) {
        deadline = each;
        return this;
    }

    /** Sends text. */
    public RawClient send(String text) throws IOException {
        return send(Wire.latin1(text));
    }

    /** Sends bytes in one write. */
    public RawClient send(byte[] bytes) throws IOException {
        out.within(deadline, () -> out.write(bytes));
        return this;
    }

    /** Sends a body as it is, to be announced by a Content-Length. */
    public RawClient send(GeneratedBody body) throws IOException {
        out.within(deadline, () -> body.writeTo(out));
        return this;
    }

    /** Sends a body in chunks of that size, with the last chunk and the trailers. */
    public RawClient sendChunked(GeneratedBody body, int chunkBytes, Header... trailers) throws IOException {
        out.within(deadline, () -> {
            var chunks = new ChunkedOutput(out, chunkBytes);
            body.writeTo(chunks);
            chunks.finish(List.of(trailers));
        });
        return this;
    }

    /** Sends text with one write for each byte. */
    public RawClient sendByteByByte(String text) throws IOException {
        return sendInPieces(text, 1);
    }

    /** Sends bytes with one write for each. */
    public RawClient sendByteByByte(byte[] bytes) throws IOException {
        return sendInPieces(bytes, 1, Duration.ZERO);
    }

    /** Sends text with one write for each piece of that size. */
    public RawClient sendInPieces(String text, int pieceBytes) throws IOException {
        return sendInPieces(Wire.latin1(text), pieceBytes, Duration.ZERO);
    }

    /** Sends bytes with one write for each piece of that size. */
    public RawClient sendInPieces(byte[] bytes, int pieceBytes) throws IOException {
        return sendInPieces(bytes, pieceBytes, Duration.ZERO);
    }

    /** Sends bytes with one write for each piece of that size, and a pause between them: a slow client. */
    public RawClient sendInPieces(byte[] bytes, int pieceBytes, Duration pause) throws IOException {
        out.within(deadline, () -> {
            for (int from = 0; from < bytes.length; from += pieceBytes) {
                if (from > 0 && !pause.isZero()) {
                    LockSupport.parkNanos(pause.toNanos());
                }
                out.write(bytes, from, Math.min(pieceBytes, bytes.length - from));
            }
        });
        return this;
    }

    /**
     * Sends bytes in pieces like {@link #sendInPieces}, where the peer may well answer and close before it has them all.
     *
     * @return false when it closed
     */
    public boolean sendUnlessClosed(byte[] bytes, int pieceBytes) throws IOException {
        try {
            sendInPieces(bytes, pieceBytes);
            return true;
        } catch (PeerClosed e) {
            return false;
        }
    }

    /**
     * Has the bodies of responses compared with that one as they come: for {@link RawResponse#bodyMismatch()} in the place of {@link
     * RawResponse#bodySha256()}, which takes long for large ones.
     */
    public RawClient expectBody(GeneratedBody expected) {
        responses.expectBody(expected);
        return this;
    }

    /** Reads the response to a request that was neither HEAD nor CONNECT; otherwise as {@link #readResponse(String)}. */
    public RawResponse readResponse() throws IOException {
        return readResponse("GET");
    }

    /**
     * Reads the 1xx responses and the final one to a request of that method. 101 counts as final.
     *
     * @throws AssertionError when the connection ends before the head does; when it ends later, the response is truncated
     */
    public RawResponse readResponse(String requestMethod) throws IOException {
        begin();
        return responses.readResponse(requestMethod);
    }

    /** Reads the next head, also that of a 1xx response; otherwise as {@link #readHead(String)}. */
    public RawHead readHead() throws IOException {
        return readHead("GET");
    }

    /**
     * Reads the next head, also that of a 1xx response, and leaves the body to {@link #readBody} and {@link #readRest}.
     *
     * @throws AssertionError when the connection ends before the head does
     */
    public RawHead readHead(String requestMethod) throws IOException {
        begin();
        return responses.readHead(requestMethod);
    }

    /**
     * Reads that many bytes of the body, without their framing.
     *
     * @throws AssertionError when the body ends before
     */
    public byte[] readBody(int bytes) throws IOException {
        begin();
        return responses.readBody(bytes);
    }

    /** Reads the rest of the response whose head was read by {@link #readHead}. */
    public RawResponse readRest() throws IOException {
        begin();
        return responses.readRest(List.of());
    }

    /**
     * Reads that many bytes as they are.
     *
     * @throws AssertionError when the connection ends before
     */
    public byte[] readExactly(int bytes) throws IOException {
        begin();
        try {
            return in.readExactly(bytes);
        } catch (PeerClosed e) {
            throw unexpected(bytes + " bytes", "connection ended: " + e.end());
        }
    }

    /**
     * Reads that many bytes as they are in pieces of that size, with a pause between them: a slow client. Each piece has the deadline of
     * its own.
     *
     * @throws AssertionError when the connection ends before
     */
    public byte[] readInPieces(int bytes, int pieceBytes, Duration pause) throws IOException {
        var read = new ByteArrayOutputStream();
        while (read.size() < bytes) {
            if (read.size() > 0 && !pause.isZero()) {
                LockSupport.parkNanos(pause.toNanos());
            }
            read.writeBytes(readExactly(Math.min(pieceBytes, bytes - read.size())));
        }
        return read.toByteArray();
    }

    /** Reads bytes as they are until the connection ends in whatever way. */
    public byte[] readUntilClose() throws IOException {
        begin();
        var bytes = new ByteArrayOutputStream();
        untilEnd(bytes);
        return bytes.toByteArray();
    }

    /** Expects that nothing more comes but the end of the connection, be it FIN or RST. */
    public void expectClosed() throws IOException {
        expectEnd("nothing more, then FIN or RST");
    }

    /** Expects that nothing more comes but a FIN. */
    public void expectCleanClose() throws IOException {
        if (expectEnd("nothing more, then FIN") != ConnectionEnd.CLOSED_BY_PEER) {
            throw unexpected("nothing more, then FIN", "RST");
        }
    }

    /** Expects that nothing more comes but a RST. */
    public void expectReset() throws IOException {
        if (expectEnd("nothing more, then RST") != ConnectionEnd.RESET_BY_PEER) {
            throw unexpected("nothing more, then RST", "FIN");
        }
    }

    /** Expects that for so long nothing comes, and neither does the end of the connection. */
    public void expectSilence(Duration period) throws IOException {
        if (in.available() > 0 || in.comesWithin(period)) {
            throw unexpected("nothing for " + period.toMillis() + " ms", in.available() + " bytes more");
        }
    }

    private ConnectionEnd expectEnd(String expected) throws IOException {
        begin();
        var more = new ByteArrayOutputStream();
        ConnectionEnd end = untilEnd(more);
        if (more.size() > 0) {
            throw unexpected(expected, more.size() + " bytes more, then " + end);
        }
        return end;
    }

    private ConnectionEnd untilEnd(ByteArrayOutputStream bytes) throws IOException {
        try {
            while (true) {
                in.require();
                bytes.write(in.array(), in.position(), in.available());
                in.skip(in.available());
            }
        } catch (PeerClosed e) {
            return e.end();
        }
    }

    private AssertionError unexpected(String expected, String found) {
        return new AssertionError(found + " (expected: " + expected + "); " + in.received());
    }

    private void begin() {
        in.deadline(Deadline.in(deadline));
    }

    /** Sends a FIN; reading goes on. */
    public RawClient halfClose() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** Closes the connection with a RST. */
    public void reset() {
        Quietly.reset(socket);
    }

    /** The port that it connects from. */
    public int localPort() {
        return socket.getLocalPort();
    }

    /** The socket underneath, for options that a test needs beyond these. */
    public Socket socket() {
        return socket;
    }

    /** Closes the connection with a FIN; with a RST, as the system decides, where received bytes were not read. */
    @Override
    public void close() {
        Quietly.close(socket);
    }
}
