package net.oooops.sigma.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response as it came, without the framing of its body. Immutable once {@link RawClient} has returned it.
 *
 * <p>A body is kept up to {@link #KEPT_BYTES_MAX}; length and SHA-256 are there whatever its size.
 */
public final class RawResponse {
    /** Up to here, a body's bytes are kept. */
    public static final int KEPT_BYTES_MAX = 16 * 1024 * 1024;

    private final RawHead head;
    private final RawBody body;
    private final List<RawHead> interim;

    RawResponse(RawHead head, RawBody body, List<RawHead> interim) {
        this.head = head;
        this.body = body;
        this.interim = List.copyOf(interim);
    }

    /** The final response's head. */
    public RawHead head() {
        return head;
    }

    /** The first line, without its line end. */
    public String statusLine() {
        return head.statusLine();
    }

    /** The status code. */
    public int status() {
        return head.status();
    }

    /** The header lines. */
    public Headers headers() {
        return head.headers();
    }

    /** The value of the first header line of that name, or null. */
    public @Nullable String header(String name) {
        return head.header(name);
    }

    /**
     * The body, as far as it came.
     *
     * @throws IllegalStateException when it is longer than {@link #KEPT_BYTES_MAX}
     */
    public byte[] body() {
        return body.kept();
    }

    /** The body as ISO-8859-1; otherwise as {@link #body()}. */
    public String bodyText() {
        return Wire.latin1(body.kept());
    }

    /** The body's length, as far as it came. */
    public long bodyBytes() {
        return body.bytes();
    }

    /**
     * The first byte that isn't as {@link RawClient#expectBody expected}, or is missing, or is beyond; -1 where the body is the one that was
     * expected.
     */
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

    /** How the body ended. */
    public BodyEnd bodyEnd() {
        return body.end();
    }

    /** Whether the connection ended before the body did. */
    public boolean truncated() {
        return body.end().truncated();
    }

    /** The 1xx responses that came before it, in order. */
    public List<RawHead> interim() {
        return interim;
    }

    /** The head and what became of the body. */
    @Override
    public String toString() {
        return head + "[" + body + "]";
    }
}
