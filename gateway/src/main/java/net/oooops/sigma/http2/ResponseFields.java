package net.oooops.sigma.http2;

import java.util.Arrays;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;

/**
 * Reads the head of a response (RFC 9113 section 8.3.2) into the form that one of HTTP/1.1 has, but for its status line.
 *
 * <p>Used for one head after the other.
 */
final class ResponseFields extends FieldLines {
    private static final byte[] STATUS = Octets.ascii(":status");
    private static final int STATUS_DIGITS = 3;

    private HttpResponseHead head = new HttpResponseHead();
    private boolean statusSeen;
    private boolean regularSeen;

    /** Another head begins. */
    void begin(Limits limits, HttpResponseHead into) {
        begin(limits.responseHeaderBytesMax(), limits.responseHeaderBytesMax(), limits.headerCountMax());
        head = into;
        into.http2();
        statusSeen = false;
        regularSeen = false;
    }

    @Override
    FieldSection section() {
        return head;
    }

    @Override
    void pseudo(HpackField field) {
        boolean expected = !statusSeen
                && !regularSeen
                && field.valueEnd - field.valueStart == STATUS_DIGITS
                && Arrays.equals(field.name, field.nameStart, field.nameEnd, STATUS, 0, STATUS.length);
        if (!expected) {
            refuse(Refusal.PSEUDO_FIELD);
            return;
        }
        statusSeen = true;
        int status = 0;
        for (int i = field.valueStart; i < field.valueEnd; i++) {
            if (!Octets.isDigit(field.value[i])) {
                refuse(Refusal.STATUS_LINE);
                return;
            }
            status = status * 10 + field.value[i] - '0';
        }
        // RFC 9113 section 8.6: there is no switching.
        if (status < 100 || status > 599 || status == 101) {
            refuse(status == 101 ? Refusal.SWITCHED_UNASKED : Refusal.STATUS_LINE);
            return;
        }
        head.statusLine(status, 0, head.length());
    }

    @Override
    void regular(HpackField field) {
        regularSeen = true;
        if (!statusSeen) {
            refuse(Refusal.PSEUDO_FIELD);
            return;
        }
        line(field);
    }

    /**
     * There are no more fields.
     *
     * @param ends whether no body follows
     * @return whether the head is taken; if not, {@link #refusal} says why
     */
    boolean end(boolean ends) {
        if (!statusSeen) {
            refuse(Refusal.PSEUDO_FIELD);
        }
        endLines();
        if (!isRefused() && !ends && head.contentLength() < 0) {
            head.streamed();
        }
        if (!isRefused() && !head.finishFraming()) {
            refuse(Refusal.CONTENT_LENGTH);
        }
        return !isRefused();
    }
}
