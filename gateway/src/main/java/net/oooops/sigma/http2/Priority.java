package net.oooops.sigma.http2;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Span;

/** What a client says of the urgency of a response (RFC 9218): {@code u=0} to {@code u=7}, and {@code i} for one that may come in turns with others. */
final class Priority {
    private static final FieldName PRIORITY = FieldName.of("Priority");
    private static final int URGENCY_DEFAULT = 3;

    private Priority() {}

    /** Gives a stream the priority that its request has, if it has one. */
    static void read(HttpRequestHead head, Http2Stream stream) {
        long span = head.receivedValue(PRIORITY);
        if (span != Span.NONE) {
            apply(head.received(), Span.start(span), Span.end(span), stream);
        }
    }

    /** Gives a stream the priority that {@code bytes[start, end)} says. What isn't understood counts as not said. */
    static void apply(byte[] bytes, int start, int end, Http2Stream stream) {
        int urgency = URGENCY_DEFAULT;
        boolean incremental = false;
        int at = start;
        while (at < end) {
            int next = at;
            while (next < end && bytes[next] != ',') {
                next++;
            }
            while (at < next && (bytes[at] == Octets.SP || bytes[at] == Octets.HT)) {
                at++;
            }
            int length = next - at;
            if (length >= 3
                    && bytes[at] == 'u'
                    && bytes[at + 1] == '='
                    && bytes[at + 2] >= '0'
                    && bytes[at + 2] <= '7'
                    && isEnd(bytes, at + 3, next)) {
                urgency = bytes[at + 2] - '0';
            } else if (length >= 1 && bytes[at] == 'i') {
                boolean denied = length >= 4 && bytes[at + 1] == '=' && bytes[at + 3] == '0';
                incremental = !denied && (isEnd(bytes, at + 1, next) || bytes[at + 1] == '=');
            }
            at = next + 1;
        }
        stream.prioritize(urgency, incremental);
    }

    /** Whether a key or a value ends there: nothing follows, or parameters. */
    private static boolean isEnd(byte[] bytes, int at, int end) {
        return at == end || bytes[at] == ';' || bytes[at] == Octets.SP || bytes[at] == Octets.HT;
    }
}
