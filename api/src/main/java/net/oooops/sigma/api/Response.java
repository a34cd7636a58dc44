package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole response that a plugin gives instead of the upstream's. Made once where it is always the same; one with a body from a file or a
 * stream is for one exchange.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Response {
    private static final byte[] NO_BYTES = {};

    private final int status;
    private final List<Field> fields;
    private final byte[] body;
    private final @Nullable FileBody file;
    private final @Nullable StreamBody stream;

    private Response(
            int status, List<Field> fields, byte[] body, @Nullable FileBody file, @Nullable StreamBody stream) {
        this.status = status;
        this.fields = fields;
        this.body = body;
        this.file = file;
        this.stream = stream;
    }

    /**
     * A response without a body.
     *
     * @throws IllegalArgumentException where {@code status} isn't 200 to 599
     */
    public static Response of(int status, Field... fields) {
        return withBody(status, List.of(fields), new byte[0]);
    }

    /**
     * A response with a body; Content-Length is written by Sigma. The array is copied.
     *
     * @throws IllegalArgumentException where {@code status} isn't 200 to 599, or is 204 or 304 and {@code body} isn't empty
     */
    public static Response withBody(int status, List<Field> fields, byte[] body) {
        checkStatus(status);
        if ((status == 204 || status == 304) && body.length > 0) {
            throw new IllegalArgumentException(
                    "body of " + body.length + " bytes (expected: none with " + status + ")");
        }
        return new Response(status, List.copyOf(fields), body.clone(), null, null);
    }

    /**
     * A response with a body from a file; Content-Length is written by Sigma. A request with HEAD gets the same head, and the file is closed
     * unread.
     *
     * @throws IllegalArgumentException where {@code status} isn't 200 to 599, or is 204 or 304; the file is still the caller's then
     */
    public static Response file(int status, List<Field> fields, FileBody body) {
        checkStatus(status);
        if (status == 204 || status == 304) {
            throw new IllegalArgumentException("body from a file (expected: none with " + status + ")");
        }
        return new Response(status, List.copyOf(fields), NO_BYTES, body, null);
    }

    /**
     * A response whose body comes part by part, as its client takes it; what frames it is written by Sigma. A request with HEAD gets the same head, and
     * the source is closed without being asked.
     *
     * @throws IllegalArgumentException where {@code status} isn't 200 to 599, or is 204 or 304; the source is still the caller's then
     */
    public static Response stream(int status, List<Field> fields, StreamBody body) {
        checkStatus(status);
        if (status == 204 || status == 304) {
            throw new IllegalArgumentException("body from a stream (expected: none with " + status + ")");
        }
        return new Response(status, List.copyOf(fields), NO_BYTES, null, body);
    }

    private static void checkStatus(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("status: " + status + " (expected: 200 to 599)");
        }
    }

    /** A response with a {@code text/plain} body in UTF-8. */
    public static Response text(int status, String text) {
        Field type = Field.of("Content-Type", "text/plain; charset=utf-8");
        return withBody(status, List.of(type), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A response of one line of {@code text/plain} in UTF-8, as all of Sigma's own are: a sentence for whoever reads it, with its full stop.
     *
     * @param sentence without the line end, which is added
     * @param fields besides Content-Type
     * @throws IllegalArgumentException where {@code status} isn't 200 to 599, or is 204 or 304
     */
    public static Response line(int status, String sentence, Field... fields) {
        Response text = text(status, sentence + "\n");
        List<Field> all = new ArrayList<>(text.fields);
        all.addAll(List.of(fields));
        return text.with(status, all);
    }

    /**
     * The same body under that status and with these fields. The body isn't copied.
     *
     * @throws IllegalArgumentException as {@link #withBody}, {@link #file} and {@link #stream} do
     */
    public Response with(int otherStatus, List<Field> otherFields) {
        checkStatus(otherStatus);
        if ((otherStatus == 204 || otherStatus == 304) && (body.length > 0 || file != null || stream != null)) {
            throw new IllegalArgumentException("body (expected: none with " + otherStatus + ")");
        }
        return new Response(otherStatus, List.copyOf(otherFields), body, file, stream);
    }

    /** The status code. */
    public int status() {
        return status;
    }

    /** The fields, without those that frame the message. */
    public List<Field> fields() {
        return fields;
    }

    /** The body that lies in a file, or null where none does. */
    public @Nullable FileBody file() {
        return file;
    }

    /** The body that a source gives, or null where none does. */
    public @Nullable StreamBody stream() {
        return stream;
    }

    /** The number of bytes of the body that is here: 0 where it lies in a file, or a source gives it. */
    public int bodyBytes() {
        return body.length;
    }

    /** Copies the body to {@code target} from {@code at} on and returns the position after it. */
    public int copyBodyTo(byte[] target, int at) {
        System.arraycopy(body, 0, target, at, body.length);
        return at + body.length;
    }
}
