package net.oooops.sigma.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Takes one body off a connection, in as many steps as its user likes, and removes its framing (RFC 9112 sections 6 and 7). Strict:
 * it does not accept what a gateway must not emit, such as chunk extensions.
 */
final class BodyReader {
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,15}");
    private static final int LINE_BYTES_MAX = 64 * 1024;
    private static final int LONG_BODY_BYTES = 8 * 1024;

    private final WireInput in;
    private final RawBody body;
    private BodyEnd framing;
    private long left;
    private boolean inChunks;

    private BodyReader(WireInput in, RawBody body, BodyEnd framing, long left) {
        this.in = in;
        this.body = body;
        this.framing = framing;
        this.left = left;
        if (framing == BodyEnd.NONE || (framing == BodyEnd.LENGTH && left == 0)) {
            finish(framing, Headers.NONE);
        } else if (framing != BodyEnd.LENGTH || left > LONG_BODY_BYTES) {
            in.expectBody();
        }
    }

    /** The body of a request: without length there is none (RFC 9112 section 6.3, rule 7). */
    static BodyReader ofRequest(WireInput in, Headers headers, RawBody body) {
        return of(in, headers, body, BodyEnd.NONE);
    }

    /** The body of a response: without length it goes on until the peer closes (rule 8). */
    static BodyReader ofResponse(WireInput in, RawHead head, String requestMethod, RawBody body) {
        if (hasNoBody(head.status(), requestMethod)) {
            return new BodyReader(in, body, BodyEnd.NONE, 0);
        }
        return of(in, head.headers(), body, BodyEnd.CLOSE);
    }

    private static boolean hasNoBody(int status, String requestMethod) {
        boolean tunnel = requestMethod.equals("CONNECT") && status / 100 == 2;
        return requestMethod.equals("HEAD") || tunnel || status / 100 == 1 || status == 204 || status == 304;
    }

    private static BodyReader of(WireInput in, Headers headers, RawBody body, BodyEnd unframed) {
        List<String> codings = headers.values("Transfer-Encoding");
        List<String> lengths = headers.values("Content-Length");
        if (codings.size() + lengths.size() > 1) {
            throw new Malformed("framing: Transfer-Encoding " + codings + ", Content-Length " + lengths
                    + " (expected: one of them, once)");
        }
        if (!codings.isEmpty()) {
            if (!codings.get(0).toLowerCase(Locale.ROOT).equals("chunked")) {
                throw new Malformed("Transfer-Encoding: " + codings.get(0) + " (expected: chunked)");
            }
            return new BodyReader(in, body, BodyEnd.CHUNKED, 0);
        }
        if (lengths.isEmpty()) {
            return new BodyReader(in, body, unframed, unframed == BodyEnd.CLOSE ? Long.MAX_VALUE : 0);
        }
        if (!LENGTH.matcher(lengths.get(0)).matches()) {
            throw new Malformed("Content-Length: \"" + lengths.get(0) + "\" (expected: up to 18 digits)");
        }
        return new BodyReader(in, body, BodyEnd.LENGTH, Long.parseLong(lengths.get(0)));
    }

    boolean ended() {
        return body.end() != BodyEnd.UNREAD;
    }

    /** Reads to the end, which is also where the connection ends too early. */
    void readAll() throws IOException {
        read(Long.MAX_VALUE);
    }

    /**
     * Reads so many bytes of the body, or fewer where it ends before.
     *
     * @return how many
     */
    long read(long atMost) throws IOException {
        long taken = 0;
        try {
            while (!ended() && taken < atMost) {
                taken += step(atMost - taken);
            }
        } catch (PeerClosed e) {
            boolean complete = framing == BodyEnd.CLOSE && e.end() == ConnectionEnd.CLOSED_BY_PEER;
            finish(complete ? BodyEnd.CLOSE : e.bodyEnd(), Headers.NONE);
        }
        return taken;
    }

    private int step(long atMost) throws IOException {
        if (framing == BodyEnd.CHUNKED && left == 0 && !nextChunk()) {
            return 0;
        }
        in.require();
        int count = (int) Math.min(Math.min(in.available(), left), atMost);
        body.accept(in.array(), in.position(), count);
        in.skip(count);
        if (framing != BodyEnd.CLOSE) {
            left -= count;
        }
        if (framing == BodyEnd.LENGTH && left == 0) {
            finish(BodyEnd.LENGTH, Headers.NONE);
        }
        return count;
    }

    /** Reads the line end of the chunk before and the size of the next one. */
    private boolean nextChunk() throws IOException {
        if (inChunks && !line().isEmpty()) {
            throw new Malformed("chunk: more bytes than its size (expected: CR LF)");
        }
        inChunks = true;
        String size = line();
        if (!CHUNK_SIZE.matcher(size).matches()) {
            throw new Malformed("chunk size: \"" + size + "\" (expected: 1 to 15 hex digits only)");
        }
        left = Long.parseLong(size, 16);
        if (left == 0) {
            finish(BodyEnd.CHUNKED, trailers());
        }
        return left > 0;
    }

    private Headers trailers() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            lines.add(line);
        }
        return MessageHead.headers(lines);
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int each = in.readByte(); each != '\r'; each = in.readByte()) {
            if (each == '\n' || line.length() == LINE_BYTES_MAX) {
                throw new Malformed("line: bare LF or too long after \"" + line + "\"");
            }
            line.append((char) each);
        }
        if (in.readByte() != '\n') {
            throw new Malformed("line: bare CR after \"" + line + "\"");
        }
        return line.toString();
    }

    private void finish(BodyEnd how, Headers trailers) {
        framing = how;
        body.finish(how, trailers);
    }
}
