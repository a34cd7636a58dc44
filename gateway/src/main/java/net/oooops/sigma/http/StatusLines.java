package net.oooops.sigma.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/** Status lines as Sigma writes them itself, each made when it is first needed. Any thread. */
public final class StatusLines {
    private static final int FIRST = 100;
    /** Written by several Workers without order: each writes the same bytes. */
    private static final byte[] @Nullable [] LINES = new byte[500][];

    private StatusLines() {}

    /** The line of a status of 100 to 599, with its CRLF. */
    static byte[] of(int status) {
        byte[] line = LINES[status - FIRST];
        if (line == null) {
            line = Octets.ascii("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
            LINES[status - FIRST] = line;
        }
        return line;
    }

    /** The reason phrase of a status, as the registry of IANA has it: those that RFC 9110 section 15 renamed, and those that Netty has none of. */
    public static String reason(int status) {
        return switch (status) {
            case 103 -> "Early Hints";
            case 208 -> "Already Reported";
            case 226 -> "IM Used";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 416 -> "Range Not Satisfiable";
            case 422 -> "Unprocessable Content";
            case 425 -> "Too Early";
            case 451 -> "Unavailable For Legal Reasons";
            case 508 -> "Loop Detected";
            default -> HttpResponseStatus.valueOf(status).reasonPhrase();
        };
    }
}
