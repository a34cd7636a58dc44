package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a {@link ScriptedUpstream} does on one connection, or in answer to one request: steps, one after the other. Immutable: each
 * method returns a script with one more step.
 *
 * <p>A script ends where the connection does, be it by the peer or by a step. When a connection's script is at its end and the
 * connection is open, whatever comes is read until the peer closes ({@link UpstreamConnection#unexpected()}).
 */
public final class Script implements Step {
    private static final Script EMPTY = new Script(List.of());
    private static final int ECHO_CHUNK_BYTES = 64 * 1024;

    private final List<Step> steps;

    private Script(List<Step> steps) {
        this.steps = steps;
    }

    /** A script without any steps. */
    public static Script script() {
        return EMPTY;
    }

    /** Then does whatever the given step says. */
    public Script step(Step next) {
        List<Step> more = new ArrayList<>(steps);
        more.add(next);
        return new Script(List.copyOf(more));
    }

    /** Then waits for a whole request. */
    public Script readRequest() {
        return step(UpstreamConnection::readRequest);
    }

    /** Then waits for a request's head, and takes nothing of the body. */
    public Script readHead() {
        return step(UpstreamConnection::readHead);
    }

    /** Then reads the request's body to its end. */
    public Script readBody() {
        return step(UpstreamConnection::readBody);
    }

    /** Then reads so many bytes of the request's body, and no more. */
    public Script readBody(long bytes) {
        return step(connection -> connection.readBody(bytes));
    }

    /** Then answers. */
    public Script respond(Answer answer) {
        return step(answer);
    }

    /** Then answers with that status and text. */
    public Script respond(int status, String body) {
        return step(Answer.of(status).body(body));
    }

    /** Then sends a 1xx response. */
    public Script interim(int status, Header... headers) {
        Answer interim = Answer.of(status);
        for (Header header : headers) {
            interim = interim.header(header.name(), header.value());
        }
        return step(interim);
    }

    /** Then sends text as it is. */
    public Script send(String text) {
        return send(Wire.latin1(text));
    }

    /** Then sends bytes as they are, in one write. */
    public Script send(byte[] bytes) {
        byte[] sent = bytes.clone();
        return step(connection -> connection.write(sent));
    }

    /** Then sends the first bytes of an answer, and does not close by itself. */
    public Script sendCut(Answer answer, int bytes) {
        return send(Arrays.copyOf(answer.bytes(), bytes));
    }

    /** Then sends text in pieces; otherwise as {@link #trickle(byte[], int, Duration)}. */
    public Script trickle(String text, int bytesEach, Duration interval) {
        return trickle(Wire.latin1(text), bytesEach, interval);
    }

    /** Then sends bytes in pieces of that size, each in its own write, with a pause after each but the last. */
    public Script trickle(byte[] bytes, int bytesEach, Duration interval) {
        byte[] sent = bytes.clone();
        return step(connection -> {
            for (int from = 0; from < sent.length; from += bytesEach) {
                if (from > 0) {
                    LockSupport.parkNanos(interval.toNanos());
                }
                connection.write(Arrays.copyOfRange(sent, from, Math.min(sent.length, from + bytesEach)));
            }
        });
    }

    /** Then does nothing until the gate is released; nothing is read meanwhile, so the peer's close is not seen either. */
    public Script stall(Gate gate) {
        return step(connection -> gate.pass());
    }

    /** Then does nothing for so long. */
    public Script pause(Duration period) {
        return step(connection -> Thread.sleep(period));
    }

    /**
     * Then answers 200 and sends the body of the request back in chunks as it comes, ended by its trailers and the given ones.
     */
    public Script echoChunked(Header... trailers) {
        return step(connection -> echo(connection, List.of(trailers)));
    }

    /** Then closes with a FIN; see {@link UpstreamConnection#close()}. */
    public Script close() {
        return step(UpstreamConnection::close);
    }

    /** Then sends a FIN, and can still read. */
    public Script halfClose() {
        return step(UpstreamConnection::halfClose);
    }

    /** Then closes with a RST. */
    public Script reset() {
        return step(UpstreamConnection::reset);
    }

    /** Then reads until the peer closes. */
    public Script awaitPeerClose() {
        return step(UpstreamConnection::awaitPeerClose);
    }

    /** Then answers each further request as the handler says. */
    public Script thenServe(Handler handler) {
        return step(serving(handler));
    }

    /** All steps again and again, until the connection ends. At least one should read. */
    public Script repeat() {
        return EMPTY.step(connection -> {
            while (!connection.isClosed()) {
                run(connection);
            }
        });
    }

    @Override
    public void run(UpstreamConnection connection) throws IOException, InterruptedException {
        for (Step step : steps) {
            if (connection.isClosed()) {
                return;
            }
            step.run(connection);
        }
    }

    /** Whole requests, each given to the handler. */
    static Step serving(Handler handler) {
        return connection -> {
            while (!connection.isClosed()) {
                handler.answer(connection.readRequest()).run(connection);
            }
        };
    }

    /** Requests, each given to the handler with its body unread. */
    static Step servingOnHead(Handler handler) {
        return connection -> {
            while (!connection.isClosed()) {
                handler.answer(connection.readHead()).run(connection);
            }
        };
    }

    private static void echo(UpstreamConnection connection, List<Header> trailers) throws IOException {
        ReceivedRequest request = connection.request();
        if (request == null) {
            throw new IllegalStateException("echoChunked: no head was read before (expected: readHead first)");
        }
        String announced = trailers.stream().map(Header::name).collect(Collectors.joining(", "));
        String trailer = announced.isEmpty() ? "" : "Trailer: " + announced + "\r\n";
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + trailer + "\r\n");
        var chunks = new ChunkedOutput(connection.output(), ECHO_CHUNK_BYTES);
        request.rawBody().copyTo(new FlushingOutput(chunks));
        connection.readBody();
        chunks.finish(Stream.concat(request.trailers().all().stream(), trailers.stream())
                .toList());
    }

    /** Sends each part of a body at once, so that the peer sees it while the rest is still to come. */
    private static final class FlushingOutput extends OutputStream {
        private final ChunkedOutput chunks;

        FlushingOutput(ChunkedOutput chunks) {
            this.chunks = chunks;
        }

        @Override
        public void write(int one) throws IOException {
            chunks.write(one);
            chunks.flush();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            chunks.write(bytes, offset, length);
            chunks.flush();
        }
    }
}
