package net.oooops.sigma.http1;

import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;

/**
 * Reads the head of a request (RFC 9112 sections 2, 3 and 5) out of the bytes that an {@link HttpRequestHead} has stored so
 * far. Strict: what two parsers could read differently is refused.
 *
 * <pre>
 *   empty lines ─▶ request line ─▶ field lines ─▶ done
 * </pre>
 */
final class RequestParser {
    /** RFC 9112 section 2.2: at least one empty line before the request line is ignored. */
    private static final int EMPTY_LINE_BYTES_MAX = 2;

    private static final byte[] HTTP = Octets.ascii("HTTP/");
    private static final byte[] HTTP_SCHEME = Octets.ascii("http://");
    private static final byte[] HTTPS_SCHEME = Octets.ascii("https://");
    private static final byte[] CONNECT = Octets.ascii("CONNECT");
    private static final byte[] OPTIONS = Octets.ascii("OPTIONS");
    /** " HTTP/1.1", CR, LF. */
    private static final int VERSION_BYTES = 10;

    private static final int METHOD_BYTES_MAX = 32;

    private RequestParser() {}

    /** Goes on with what {@code head} has stored. */
    static Step parse(HttpRequestHead head, Limits limits) {
        if (head.fieldsStart() == 0) {
            Step line = parseLine(head, limits.requestLineBytesMax());
            if (line != Step.DONE) {
                return line;
            }
        }
        Step fields =
                FieldParser.parse(head, limits.headerFieldBytesMax(), limits.headerBytesMax(), limits.headerCountMax());
        if (fields != Step.DONE) {
            return fields;
        }
        return head.finish() ? Step.DONE : Step.REFUSED;
    }

    private static Step parseLine(HttpRequestHead head, int lineBytesMax) {
        if (head.length() > 0 && (head.bytes()[0] == Octets.CR || head.bytes()[0] == Octets.LF)) {
            Step skipped = skipEmptyLine(head);
            if (skipped != Step.DONE) {
                return skipped;
            }
        }
        Step step = readLine(head);
        boolean tooLong = step == Step.MORE ? head.length() > lineBytesMax + 2 : head.fieldsStart() > lineBytesMax + 2;
        return tooLong ? Step.refused(head, Refusal.REQUEST_LINE_TOO_LONG) : step;
    }

    /** One CRLF before the request line is taken out; the rest moves to the front, so that the head begins with its method. */
    private static Step skipEmptyLine(HttpRequestHead head) {
        byte[] bytes = head.bytes();
        if (bytes[0] == Octets.LF) {
            return Step.refused(head, Refusal.BARE_LF);
        }
        if (head.length() < EMPTY_LINE_BYTES_MAX) {
            return Step.MORE;
        }
        if (bytes[1] != Octets.LF) {
            return Step.refused(head, Refusal.BARE_CR);
        }
        boolean skipped = head.skipEmptyLine(EMPTY_LINE_BYTES_MAX);
        return !skipped || (head.length() > 0 && bytes[0] == Octets.CR)
                ? Step.refused(head, Refusal.EMPTY_LINES)
                : Step.DONE;
    }

    private static Step readLine(HttpRequestHead head) {
        byte[] bytes = head.bytes();
        int end = head.length();
        int methodEnd = 0;
        while (methodEnd < end && Octets.isToken(bytes[methodEnd])) {
            methodEnd++;
        }
        if (methodEnd > METHOD_BYTES_MAX) {
            return Step.refused(head, Refusal.METHOD_TOO_LONG);
        }
        if (methodEnd == end) {
            return Step.MORE;
        }
        if (bytes[methodEnd] != Octets.SP || methodEnd == 0) {
            return Step.refused(head, Refusal.METHOD);
        }
        int targetStart = methodEnd + 1;
        int targetEnd = targetStart;
        while (targetEnd < end && Octets.isPath(bytes[targetEnd])) {
            targetEnd++;
        }
        int queryMark = -1;
        if (targetEnd < end && bytes[targetEnd] == '?') {
            queryMark = targetEnd;
            while (targetEnd < end && Octets.isQuery(bytes[targetEnd])) {
                targetEnd++;
            }
        }
        if (targetEnd == end) {
            return Step.MORE;
        }
        if (bytes[targetEnd] != Octets.SP || targetEnd == targetStart) {
            return Step.refused(head, Refusal.TARGET);
        }
        Step version = readVersion(head, targetEnd + 1);
        if (version != Step.DONE) {
            return version;
        }
        head.method(methodEnd);
        return readTarget(head, targetStart, queryMark, targetEnd);
    }

    private static Step readVersion(HttpRequestHead head, int start) {
        byte[] bytes = head.bytes();
        int stored = Math.min(HTTP.length, head.length() - start);
        for (int i = 0; i < stored; i++) {
            if (bytes[start + i] != HTTP[i]) {
                return Step.refused(head, Refusal.VERSION_SYNTAX);
            }
        }
        if (head.length() - start < VERSION_BYTES) {
            return Step.MORE;
        }
        byte major = bytes[start + HTTP.length];
        byte minor = bytes[start + HTTP.length + 2];
        boolean wellFormed = Octets.isDigit(major) && bytes[start + HTTP.length + 1] == '.' && Octets.isDigit(minor);
        if (!wellFormed) {
            return Step.refused(head, Refusal.VERSION_SYNTAX);
        }
        if (bytes[start + 8] != Octets.CR) {
            return Step.refused(head, bytes[start + 8] == Octets.LF ? Refusal.BARE_LF : Refusal.VERSION_SYNTAX);
        }
        if (bytes[start + 9] != Octets.LF) {
            return Step.refused(head, Refusal.BARE_CR);
        }
        if (major != '1') {
            return Step.refused(head, Refusal.VERSION);
        }
        head.minorVersion(minor);
        head.beginFields(start + VERSION_BYTES);
        return Step.DONE;
    }

    /** The four forms of RFC 9112 section 3.2, each only where its method may have it. */
    private static Step readTarget(HttpRequestHead head, int start, int queryMark, int end) {
        byte[] bytes = head.bytes();
        if (head.methodIs(CONNECT)) {
            head.target().authorityForm(bytes, start, end);
            return bytes[start] == '/' ? Step.refused(head, Refusal.TARGET_FORM) : Step.DONE;
        }
        if (bytes[start] == '/') {
            head.target().pathForm(bytes, start, queryMark, end);
            return Step.DONE;
        }
        if (bytes[start] == '*') {
            head.target().asteriskForm(bytes, start, end);
            boolean allowed = end == start + 1 && head.methodIs(OPTIONS);
            return allowed ? Step.DONE : Step.refused(head, Refusal.TARGET_FORM);
        }
        int authority = schemeEnd(bytes, start, end);
        return authority < 0 ? Step.refused(head, Refusal.TARGET_FORM) : readAbsolute(head, authority, queryMark, end);
    }

    private static Step readAbsolute(HttpRequestHead head, int start, int queryMark, int end) {
        byte[] bytes = head.bytes();
        int authorityEnd = start;
        while (authorityEnd < end && bytes[authorityEnd] != '/' && bytes[authorityEnd] != '?') {
            authorityEnd++;
        }
        if (authorityEnd == start) {
            return Step.refused(head, Refusal.HOST_INVALID);
        }
        head.target().absoluteForm(bytes, start, authorityEnd, queryMark, end);
        return Step.DONE;
    }

    private static int schemeEnd(byte[] bytes, int start, int end) {
        if (startsWith(bytes, start, end, HTTP_SCHEME)) {
            return start + HTTP_SCHEME.length;
        }
        return startsWith(bytes, start, end, HTTPS_SCHEME) ? start + HTTPS_SCHEME.length : -1;
    }

    private static boolean startsWith(byte[] bytes, int start, int end, byte[] lowerCase) {
        int scheme = start + lowerCase.length;
        return end >= scheme && Octets.equalsIgnoreCase(bytes, start, scheme, lowerCase);
    }
}
