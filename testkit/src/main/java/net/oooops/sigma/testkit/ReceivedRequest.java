package net.oooops.sigma.testkit;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request as the upstream received it. There from the moment its head has come; what concerns the body throws
 * {@link IllegalStateException} until {@link #bodyEnd()} is no longer {@link BodyEnd#UNREAD}, except for the count. Readable on any
 * thread.
 */
public final class ReceivedRequest {
    /** Up to here, a body's bytes are kept. */
    public static final int KEPT_BYTES_MAX = 1024 * 1024;

    private static final Pattern SPACE = Pattern.compile(" ");
    private static final Pattern VERSION = Pattern.compile("HTTP/1\\.[01]");

    private final Place place;
    private final byte[] headBytes;
    private final Headers headers;
    private final String[] startLine;
    private final RawBody body = new RawBody(KEPT_BYTES_MAX);

    /**
     * Where it came.
     *
     * @param connection the connection's number, from 0
     * @param order its number among all requests of the upstream, from 0
     * @param numberOnConnection its number on its connection, from 0
     */
    record Place(int connection, int order, int numberOnConnection) {}

    private ReceivedRequest(Place place, byte[] headBytes, String[] startLine, Headers headers) {
        this.place = place;
        this.headBytes = headBytes;
        this.startLine = startLine;
        this.headers = headers;
    }

    static ReceivedRequest parse(byte[] headBytes, Place place) {
        MessageHead parsed = MessageHead.parse(headBytes);
        String[] parts = SPACE.split(parsed.startLine(), -1);
        if (parts.length != 3
                || parts[0].isEmpty()
                || !parts[0].chars().allMatch(MessageHead::isTokenChar)
                || parts[1].isEmpty()
                || !VERSION.matcher(parts[2]).matches()) {
            throw new Malformed("request line: \"" + Wire.show(Wire.latin1(parsed.startLine()))
                    + "\" (expected: method SP target SP HTTP/1.x)");
        }
        return new ReceivedRequest(place, headBytes, parts, parsed.headers());
    }

    RawBody rawBody() {
        return body;
    }

    /** The number of the connection that it came on, from 0. */
    public int connection() {
        return place.connection();
    }

    /** Its number among all requests of the upstream, from 0, by the time their heads were complete. */
    public int order() {
        return place.order();
    }

    /** Its number on its connection, from 0. */
    public int numberOnConnection() {
        return place.numberOnConnection();
    }

    /** The head as it came, with the empty line at its end. */
    public byte[] headBytes() {
        return headBytes.clone();
    }

    /** The head as it came, as ISO-8859-1. */
    public String head() {
        return Wire.latin1(headBytes);
    }

    /** The method. */
    public String method() {
        return startLine[0];
    }

    /** The request target, as written. */
    public String target() {
        return startLine[1];
    }

    /** The version, as written: {@code HTTP/1.1} or {@code HTTP/1.0}. */
    public String version() {
        return startLine[2];
    }

    /** The header lines. */
    public Headers headers() {
        return headers;
    }

    /** The value of the first header line of that name, or null. */
    public @Nullable String header(String name) {
        return headers.first(name);
    }

    /**
     * The body, as far as it came.
     *
     * @throws IllegalStateException when it is longer than {@link #KEPT_BYTES_MAX}, or still being read
     */
    public byte[] body() {
        return body.kept();
    }

    /** The body as ISO-8859-1; otherwise as {@link #body()}. */
    public String bodyText() {
        return Wire.latin1(body.kept());
    }

    /** How many bytes of the body have been read so far. */
    public long bodyBytes() {
        return body.bytes();
    }

    /**
     * Has the body compared with that one as it comes: for {@link #bodyMismatch()} in the place of {@link #bodySha256()}, which takes long for
     * large ones.
     *
     * @throws IllegalStateException where some of it has come
     */
    public void expectBody(GeneratedBody expected) {
        body.expect(expected);
    }

    /** The first byte that isn't as expected, or is missing, or is beyond; -1 where the body is the one that was expected. */
    public long bodyMismatch() {
        return body.mismatch();
    }

    /** The SHA-256 of the body as far as it came, in lower-case hex. */
    public String bodySha256() {
        return body.sha256();
    }

    /** The trailers; none where the body was not chunked or was cut. */
    public Headers trailers() {
        return body.trailers();
    }

    /** How the body ended, UNREAD as long as it has not. */
    public BodyEnd bodyEnd() {
        return body.end();
    }

    /** Whether all of it came. */
    public boolean complete() {
        return body.end().complete();
    }

    /** The head and what became of the body. */
    @Override
    public String toString() {
        return head() + "[" + body + "]";
    }
}
