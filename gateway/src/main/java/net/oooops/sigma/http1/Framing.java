package net.oooops.sigma.http1;

import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import org.jspecify.annotations.Nullable;

/** The fields that say where a body ends (RFC 9112 section 6), and that the protocol is to be switched (RFC 9110 section 7.8). */
final class Framing {
    private static final byte[] CHUNKED = Octets.ascii("Transfer-Encoding: chunked\r\n");

    private static final byte[] CONNECTION_UPGRADE = Octets.ascii("Connection: upgrade\r\n");
    private static final byte[] UPGRADE = Octets.ascii("Upgrade: ");

    private static final byte[] CRLF = Octets.ascii("\r\n");

    private Framing() {}

    /**
     * Writes what names the protocol to be switched to.
     *
     * @param asked the request that asks for it, or null where the Upgrade field is written already
     */
    static void writeUpgrade(@Nullable HttpRequestHead asked, HeadWriter out) {
        out.append(CONNECTION_UPGRADE);
        if (asked != null) {
            out.append(UPGRADE);
            asked.protocol.writeTo(out);
            out.append(CRLF);
        }
    }

    /** Writes the field: that of the length, where that isn't -1. */
    static void write(long length, boolean chunked, HeadWriter out) {
        if (length >= 0) {
            out.contentLength(length);
        } else if (chunked) {
            out.append(CHUNKED);
        }
    }
}
