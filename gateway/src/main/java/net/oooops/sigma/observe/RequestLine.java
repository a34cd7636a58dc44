package net.oooops.sigma.observe;

import java.util.Arrays;

/**
 * The request line of an exchange, taken apart for its log line: method, target and protocol. Of one that isn't three words, what can be told
 * is told. Used again for the next; allocates nothing.
 */
final class RequestLine {
    private static final byte[] HTTP_PREFIX = LineBytes.of("HTTP/");
    private static final byte[] BOLT_PREFIX = LineBytes.of("BOLT/");

    private final byte[] bytes = new byte[LineFormat.REQUEST_LINE_BYTES_MAX];
    private int length;
    private int methodEnd;
    private int targetEnd;

    /** Reads that of another exchange. */
    void read(AccessRecord ended) {
        length = Math.max(0, ended.copyRequestLine(bytes, 0, bytes.length));
        methodEnd = indexOf(' ', 0, length);
        int lastSpace = lastSpaceBeforeVersion();
        targetEnd = lastSpace < 0 ? length : lastSpace;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the method ends, that begins at 0; -1 where there is none. */
    int methodEnd() {
        return methodEnd;
    }

    int targetStart() {
        return methodEnd + 1;
    }

    /** Not behind the start where there is no target. */
    int targetEnd() {
        return targetEnd;
    }

    /** Where the path of the target ends, and its query begins with a question mark, if it has one. */
    int pathEnd() {
        int at = indexOf('?', targetStart(), targetEnd);
        return at < 0 ? targetEnd : at;
    }

    int protocolStart() {
        return targetEnd + 1;
    }

    /** Not behind the start where there is no protocol. */
    int protocolEnd() {
        return length;
    }

    private int indexOf(char c, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == c) {
                return i;
            }
        }
        return -1;
    }

    /** Where the last word begins with {@code HTTP/} or {@code BOLT/}, the place of the space before it, or else -1. */
    private int lastSpaceBeforeVersion() {
        int at = length - 1;
        while (at >= 0 && bytes[at] != ' ') {
            at--;
        }
        boolean named = at >= 0 && (begins(at + 1, HTTP_PREFIX) || begins(at + 1, BOLT_PREFIX));
        return named ? at : -1;
    }

    private boolean begins(int at, byte[] prefix) {
        return length - at >= prefix.length && Arrays.equals(bytes, at, at + prefix.length, prefix, 0, prefix.length);
    }
}
