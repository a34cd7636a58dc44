package net.oooops.sigma.http1;

import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;

/**
 * Reads the head of a response (RFC 9112 sections 4 and 5) out of the bytes that an {@link HttpResponseHead} has stored so
 * far, as strictly as {@link RequestParser}.
 *
 * <pre>
 *   status line ─▶ field lines ─▶ done
 * </pre>
 */
final class ResponseParser {
    /** "HTTP/1.1 200". */
    private static final int STATUS_END = 12;

    private static final byte[] HTTP = Octets.ascii("HTTP/1.");

    // What begins what a node of HTTP/2 says (RFC 9113 sections 4.1, 6.5 and 6.8), and what one of TLS says to who
    // doesn't speak it (RFC 8446
    // section 5.1).
    private static final int FRAME_HEADER_BYTES = 9;
    private static final byte FRAME_SETTINGS = 4;
    private static final byte FRAME_GOAWAY = 7;
    private static final byte TLS_ALERT = 21;
    private static final byte TLS_MAJOR = 3;

    private ResponseParser() {}

    /** Goes on with what {@code head} has stored. */
    static Step parse(HttpResponseHead head, Limits limits) {
        if (head.fieldsStart() == 0) {
            Step line = parseLine(head);
            int lineBytes = line == Step.MORE ? head.length() : head.fieldsStart();
            if (lineBytes > limits.responseHeaderBytesMax()) {
                return Step.refused(head, Refusal.HEADER_TOO_LONG);
            }
            if (line != Step.DONE) {
                return line;
            }
        }
        int bytesMax = limits.responseHeaderBytesMax();
        Step fields = FieldParser.parse(head, bytesMax, bytesMax - head.fieldsStart(), limits.headerCountMax());
        if (fields != Step.DONE) {
            return fields;
        }
        return head.finishFraming() ? Step.DONE : Step.REFUSED;
    }

    /** What begins as no response does: something else that a node may speak. */
    private static Refusal whatElse(byte[] bytes, int end) {
        boolean isFrame = end >= FRAME_HEADER_BYTES
                && bytes[0] == 0
                && (bytes[3] == FRAME_SETTINGS || bytes[3] == FRAME_GOAWAY)
                && (bytes[5] | bytes[6] | bytes[7] | bytes[8]) == 0;
        if (isFrame) {
            return Refusal.HTTP2_NODE;
        }
        boolean isAlert = end >= 2 && bytes[0] == TLS_ALERT && bytes[1] == TLS_MAJOR;
        return isAlert ? Refusal.TLS_NODE : Refusal.STATUS_LINE;
    }

    private static Step parseLine(HttpResponseHead head) {
        byte[] bytes = head.bytes();
        int end = head.length();
        int stored = Math.min(HTTP.length, end);
        for (int i = 0; i < stored; i++) {
            if (bytes[i] != HTTP[i]) {
                return Step.refused(head, whatElse(bytes, end));
            }
        }
        int lineEnd = STATUS_END;
        while (lineEnd < end && Octets.isValue(bytes[lineEnd])) {
            lineEnd++;
        }
        if (lineEnd + 1 >= end) {
            return Step.MORE;
        }
        boolean wellFormed = Octets.isDigit(bytes[7])
                && bytes[8] == Octets.SP
                && bytes[9] >= '1'
                && bytes[9] <= '5'
                && Octets.isDigit(bytes[10])
                && Octets.isDigit(bytes[11])
                && (lineEnd == STATUS_END || bytes[STATUS_END] == Octets.SP)
                && bytes[lineEnd] == Octets.CR
                && bytes[lineEnd + 1] == Octets.LF;
        if (!wellFormed) {
            return Step.refused(head, Refusal.STATUS_LINE);
        }
        head.minorVersion(bytes[7]);
        head.statusLine((bytes[9] - '0') * 100 + (bytes[10] - '0') * 10 + (bytes[11] - '0'), STATUS_END, lineEnd + 2);
        return Step.DONE;
    }
}
