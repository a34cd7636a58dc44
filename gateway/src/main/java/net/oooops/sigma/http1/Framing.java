package net.oooops.sigma.http1;

import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Octets;

/** The fields that say where a body ends (RFC 9112 section 6). */
final class Framing {
    private static final byte[] CHUNKED = Octets.ascii("Transfer-Encoding: chunked\r\n");

    private Framing() {}

    /** Writes the field: that of the length, where that isn't -1. */
    static void write(long length, boolean chunked, HeadWriter out) {
        if (length >= 0) {
            out.contentLength(length);
        } else if (chunked) {
            out.append(CHUNKED);
        }
    }
}
