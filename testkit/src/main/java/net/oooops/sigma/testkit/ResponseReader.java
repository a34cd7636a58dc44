package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes responses off a connection, whole or in steps, and turns what is wrong with them into errors that show what came. */
final class ResponseReader {
    private final WireInput in;
    private @Nullable RawHead head;
    private @Nullable RawBody body;
    private @Nullable BodyReader reader;
    private @Nullable GeneratedBody expected;

    ResponseReader(WireInput in) {
        this.in = in;
    }

    void expectBody(GeneratedBody body) {
        expected = body;
    }

    RawResponse readResponse(String requestMethod) throws IOException {
        List<RawHead> interim = new ArrayList<>();
        RawHead next = readHead(requestMethod);
        while (next.status() / 100 == 1 && next.status() != 101) {
            interim.add(next);
            next = readHead(requestMethod);
        }
        return readRest(interim);
    }

    RawHead readHead(String requestMethod) throws IOException {
        if (reader != null && !reader.ended()) {
            throw new IllegalStateException(
                    "readHead: the body before was not read to its end (expected: readRest first)");
        }
        try {
            RawHead next = RawHead.parse(in.readHead());
            RawBody nextBody = new RawBody(RawResponse.KEPT_BYTES_MAX);
            if (expected != null) {
                nextBody.expect(expected);
            }
            head = next;
            body = nextBody;
            reader = BodyReader.ofResponse(in, next, requestMethod, nextBody);
            return next;
        } catch (PeerClosed e) {
            throw new AssertionError("response head: " + e.getMessage() + "; " + in.received(), e);
        } catch (Malformed e) {
            throw new AssertionError(e.getMessage() + "; " + in.received(), e);
        }
    }

    byte[] readBody(int bytes) throws IOException {
        BodyReader current = current(reader);
        RawBody currentBody = current(body);
        var taken = new ByteArrayOutputStream(bytes);
        currentBody.copyTo(taken);
        long count = read(current, bytes);
        currentBody.copyTo(null);
        if (count < bytes) {
            throw new AssertionError("body: " + count + " bytes, then " + currentBody.end() + " (expected: " + bytes
                    + " bytes); " + in.received());
        }
        return taken.toByteArray();
    }

    RawResponse readRest(List<RawHead> interim) throws IOException {
        read(current(reader), Long.MAX_VALUE);
        return new RawResponse(current(head), current(body), interim);
    }

    private long read(BodyReader current, long atMost) throws IOException {
        try {
            return current.read(atMost);
        } catch (Malformed e) {
            throw new AssertionError(e.getMessage() + "; " + in.received(), e);
        }
    }

    private static <T> T current(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("body: no head was read before (expected: readHead first)");
        }
        return part;
    }
}
