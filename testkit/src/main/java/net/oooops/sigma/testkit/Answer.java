package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A response that a {@link ScriptedUpstream} gives. Immutable: each method returns a changed copy. It is a {@link Step} that writes
 * the response to the connection's latest request.
 *
 * <p>Content-Length is added, unless the answer is chunked, ends with the connection, has a status without body (1xx, 204, 304), or names
 * Content-Length or Transfer-Encoding itself. Nothing else is. To HEAD, only the head is written. The connection is closed afterwards
 * when the answer says {@code Connection: close}, is HTTP/1.0, or has no other end.
 */
public final class Answer implements Step {
    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(100, "Continue"),
            Map.entry(101, "Switching Protocols"),
            Map.entry(103, "Early Hints"),
            Map.entry(200, "OK"),
            Map.entry(201, "Created"),
            Map.entry(204, "No Content"),
            Map.entry(206, "Partial Content"),
            Map.entry(301, "Moved Permanently"),
            Map.entry(302, "Found"),
            Map.entry(304, "Not Modified"),
            Map.entry(400, "Bad Request"),
            Map.entry(404, "Not Found"),
            Map.entry(413, "Content Too Large"),
            Map.entry(417, "Expectation Failed"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(503, "Service Unavailable"));

    private enum End {
        LENGTH,
        CHUNKS,
        CLOSE
    }

    private record StartLine(
            String version, int status, @Nullable String reason) {
        @Override
        public String toString() {
            String shown = reason != null ? reason : REASONS.getOrDefault(status, "Status " + status);
            return version + " " + status + " " + shown + "\r\n";
        }
    }

    private static final class Content {
        private final byte[] bytes;
        private final @Nullable GeneratedBody generated;
        private final End end;
        private final int chunkBytes;

        Content(byte[] bytes, @Nullable GeneratedBody generated, End end, int chunkBytes) {
            this.bytes = bytes;
            this.generated = generated;
            this.end = end;
            this.chunkBytes = chunkBytes;
        }

        Content ending(End other, int otherChunkBytes) {
            return new Content(bytes, generated, other, otherChunkBytes);
        }

        long length() {
            return generated != null ? generated.bytes() : bytes.length;
        }

        void writeTo(OutputStream out) throws IOException {
            if (generated != null) {
                generated.writeTo(out);
            } else {
                out.write(bytes);
            }
        }
    }

    private final StartLine startLine;
    private final List<Header> headers;
    private final Content content;
    private final List<Header> trailers;
    private volatile byte @Nullable [] rendered;

    private Answer(StartLine startLine, List<Header> headers, Content content, List<Header> trailers) {
        this.startLine = startLine;
        this.headers = headers;
        this.content = content;
        this.trailers = trailers;
    }

    /** 200 with that text, as ISO-8859-1. */
    public static Answer ok(String body) {
        return of(200).body(body);
    }

    /** That status with an empty body. */
    public static Answer of(int status) {
        var content = new Content(new byte[0], null, End.LENGTH, 0);
        return new Answer(new StartLine("HTTP/1.1", status, null), List.of(), content, List.of());
    }

    /** With one more header line. */
    public Answer header(String name, String value) {
        return new Answer(startLine, with(headers, new Header(name, value)), content, trailers);
    }

    /** With that text as the body, as ISO-8859-1. */
    public Answer body(String text) {
        return body(Wire.latin1(text));
    }

    /** With those bytes as the body. */
    public Answer body(byte[] bytes) {
        var other = new Content(bytes.clone(), null, content.end, content.chunkBytes);
        return new Answer(startLine, headers, other, trailers);
    }

    /** With a body that is made as it is sent. */
    public Answer body(GeneratedBody generated) {
        var other = new Content(new byte[0], generated, content.end, content.chunkBytes);
        return new Answer(startLine, headers, other, trailers);
    }

    /** With the body in chunks of that size, and {@code Transfer-Encoding: chunked} added. */
    public Answer chunked(int chunkBytes) {
        return new Answer(startLine, headers, content.ending(End.CHUNKS, chunkBytes), trailers);
    }

    /** With one more trailer; chunked answers have them. */
    public Answer trailer(String name, String value) {
        return new Answer(startLine, headers, content, with(trailers, new Header(name, value)));
    }

    /** With a body whose end is the end of the connection. */
    public Answer untilClose() {
        return new Answer(startLine, headers, content.ending(End.CLOSE, 0), trailers);
    }

    /** With HTTP/1.0 in the status line. */
    public Answer http10() {
        return new Answer(
                new StartLine("HTTP/1.0", startLine.status(), startLine.reason()), headers, content, trailers);
    }

    /** With another reason phrase than the usual one. */
    public Answer reason(String phrase) {
        return new Answer(new StartLine(startLine.version(), startLine.status(), phrase), headers, content, trailers);
    }

    private static List<Header> with(List<Header> lines, Header added) {
        List<Header> more = new ArrayList<>(lines);
        more.add(added);
        return List.copyOf(more);
    }

    /** The whole response to a request that is not HEAD, as it goes over the wire. */
    public byte[] bytes() {
        var out = new ByteArrayOutputStream();
        try {
            out.write(headBytes());
            writeBody(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Writes it as the answer to the connection's latest request. */
    @Override
    public void run(UpstreamConnection connection) throws IOException {
        ReceivedRequest request = connection.request();
        if (request != null && request.method().equals("HEAD")) {
            connection.write(headBytes());
        } else if (content.generated == null) {
            connection.write(wholeBytes());
        } else {
            connection.write(headBytes());
            writeBody(connection.output());
        }
        if (endsConnection()) {
            connection.close();
        }
    }

    private byte[] wholeBytes() {
        byte[] known = rendered;
        if (known == null) {
            known = bytes();
            rendered = known;
        }
        return known;
    }

    private boolean endsConnection() {
        String connection = new Headers(headers).first("Connection");
        boolean keeps = "keep-alive".equalsIgnoreCase(connection);
        return content.end == End.CLOSE
                || "close".equalsIgnoreCase(connection)
                || (startLine.version().equals("HTTP/1.0") && !keeps);
    }

    private byte[] headBytes() {
        var head = new StringBuilder(startLine.toString());
        headers.forEach(header -> head.append(header).append("\r\n"));
        String framing = framing();
        if (framing != null) {
            head.append(framing).append("\r\n");
        }
        return Wire.latin1(head.append("\r\n").toString());
    }

    private @Nullable String framing() {
        var given = new Headers(headers);
        if (hasNoBody() || given.has("Content-Length") || given.has("Transfer-Encoding")) {
            return null;
        }
        return switch (content.end) {
            case LENGTH -> "Content-Length: " + content.length();
            case CHUNKS -> "Transfer-Encoding: chunked";
            case CLOSE -> null;
        };
    }

    private boolean hasNoBody() {
        int status = startLine.status();
        return status / 100 == 1 || status == 204 || status == 304;
    }

    private void writeBody(OutputStream out) throws IOException {
        if (content.end == End.CHUNKS && !hasNoBody()) {
            var chunks = new ChunkedOutput(out, content.chunkBytes);
            content.writeTo(chunks);
            chunks.finish(trailers);
        } else {
            content.writeTo(out);
        }
    }

    @Override
    public String toString() {
        return Objects.toString(startLine).strip() + ", " + content.length() + " bytes";
    }
}
