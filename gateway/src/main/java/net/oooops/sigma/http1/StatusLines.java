package net.oooops.sigma.http1;

import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/** Status lines as Sigma writes them itself, each made when it is first needed. */
final class StatusLines {
    private static final int FIRST = 100;
    /** Written by several Workers without order: each writes the same bytes. */
    private static final byte[] @Nullable [] LINES = new byte[500][];

    private StatusLines() {}

    /** The line of a status of 100 to 599, with its CRLF. */
    static byte[] of(int status) {
        byte[] line = LINES[status - FIRST];
        if (line == null) {
            String reason = HttpResponseStatus.valueOf(status).reasonPhrase();
            line = Octets.ascii("HTTP/1.1 " + status + " " + reason + "\r\n");
            LINES[status - FIRST] = line;
        }
        return line;
    }
}
