package net.oooops.sigma.testkit;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The head of a response: its exact bytes, its status line and its header lines. Immutable. */
public final class RawHead {
    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.[01] [1-9][0-9]{2} [\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final int STATUS_FROM = "HTTP/1.1 ".length();

    private final byte[] bytes;
    private final MessageHead parsed;

    private RawHead(byte[] bytes, MessageHead parsed) {
        this.bytes = bytes;
        this.parsed = parsed;
    }

    static RawHead parse(byte[] bytes) {
        MessageHead parsed = MessageHead.parse(bytes);
        if (!STATUS_LINE.matcher(parsed.startLine()).matches()) {
            throw new Malformed("status line: \"" + Wire.show(Wire.latin1(parsed.startLine()))
                    + "\" (expected: HTTP/1.1 SP status SP reason)");
        }
        return new RawHead(bytes, parsed);
    }

    /** The first line, without its line end. */
    public String statusLine() {
        return parsed.startLine();
    }

    /** The status code. */
    public int status() {
        return Integer.parseInt(parsed.startLine(), STATUS_FROM, STATUS_FROM + 3, 10);
    }

    /** The header lines. */
    public Headers headers() {
        return parsed.headers();
    }

    /** The value of the first header line of that name, or null. */
    public @Nullable String header(String name) {
        return parsed.headers().first(name);
    }

    /** The head as it came, with the empty line at its end. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The head as it came, as ISO-8859-1. */
    public String text() {
        return Wire.latin1(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
