package net.oooops.sigma.http1;

import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;
import org.jspecify.annotations.Nullable;

/** Writes the heads of requests as nodes get them. */
final class RequestWriter {
    private static final byte[] HOST = Octets.ascii("Host: ");
    private static final byte[] CRLF = Octets.ascii("\r\n");

    private RequestWriter() {}

    /**
     * Writes a head.
     *
     * @param authority the node's own, or null where that of the request goes on
     * @param added what the head gets beside its own fields
     * @param length of the body, -1 where there is none or that isn't known
     */
    static HeadWriter write(
            HttpRequestHead head, byte @Nullable [] authority, HeadWriter added, long length, HeadWriter out) {
        boolean chunked = isChunked(head, length);
        if (!chunked) {
            head.drop(KnownField.TRAILER);
        }
        out.begin();
        out.requestLine(head);
        if (authority != null) {
            out.append(HOST);
            out.append(authority);
            out.append(CRLF);
        } else if (head.lacksHost()) {
            out.append(HOST);
            out.append(head.received(), head.authorityStart(), head.authorityEnd());
            out.append(CRLF);
        }
        out.fields(head);
        out.append(added);
        Framing.write(length, chunked, out);
        if (head.isSwitching()) {
            Framing.writeUpgrade(head, out);
        }
        out.end();
        return out;
    }

    /** Whether a body of that length, -1 where it isn't known, is written in chunks. */
    static boolean isChunked(HttpRequestHead head, long length) {
        return length < 0 && head.isChunked();
    }
}
