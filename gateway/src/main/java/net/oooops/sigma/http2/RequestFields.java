package net.oooops.sigma.http2;

import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.WebSocketKey;

/**
 * Reads the head of a request (RFC 9113 section 8.3.1) into the form that one of HTTP/1.1 has: request line, Host, and the other fields.
 * Cookies, which may come in several fields, become one (section 8.2.3).
 *
 * <p>Used for one head after the other.
 */
final class RequestFields extends FieldLines {
    private static final byte[] METHOD = Octets.ascii(":method");
    private static final byte[] SCHEME = Octets.ascii(":scheme");
    private static final byte[] AUTHORITY = Octets.ascii(":authority");
    private static final byte[] PATH = Octets.ascii(":path");
    private static final byte[] PROTOCOL = Octets.ascii(":protocol");

    private static final byte[] HTTP = Octets.ascii("http");
    private static final byte[] HTTPS = Octets.ascii("https");
    private static final byte[] CONNECT = Octets.ascii("CONNECT");
    private static final byte[] GET = Octets.ascii("GET");
    private static final byte[] OPTIONS = Octets.ascii("OPTIONS");
    private static final byte[] LINE_END = Octets.ascii(" HTTP/2.0\r\n");
    private static final byte[] HOST = Octets.ascii("host");
    private static final byte[] CONNECTION = Octets.ascii("connection");
    private static final byte[] UPGRADE = Octets.ascii("upgrade");
    private static final byte[] KEY = Octets.ascii("sec-websocket-key");
    private static final int KEY_BYTES = 16;
    private static final byte[] COOKIE = Octets.ascii("cookie");
    private static final byte[] CONTENT_TYPE = Octets.ascii("content-type");
    private static final byte[] GRPC_TIMEOUT = Octets.ascii("grpc-timeout");
    private static final byte[] SEPARATOR = Octets.ascii("; ");
    private static final byte[] SPACE = Octets.ascii(" ");
    private static final int METHOD_BYTES_MAX = 32;

    private HttpRequestHead head = new HttpRequestHead();
    private int lineBytesMax;
    /** Pseudo-header fields, then cookies: what can't be written before more is known. */
    private byte[] kept = new byte[1024];

    private int keptBytes;

    // Where they stand there; -1 where there are none.
    private int methodStart;
    private int methodEnd;
    private int pathStart;
    private int pathEnd;
    private int authorityStart;
    private int authorityEnd;
    private boolean schemeSeen;
    private int cookieStart;
    private int protocolStart;
    private int protocolEnd;

    private boolean lineWritten;
    /** A field that is made here. */
    private final HpackField own = new HpackField();

    /** Another head begins. */
    void begin(Limits limits, int bytesMax, HttpRequestHead into) {
        begin(limits.headerFieldBytesMax(), bytesMax, limits.headerCountMax());
        head = into;
        lineBytesMax = limits.requestLineBytesMax();
        keptBytes = 0;
        methodStart = -1;
        pathStart = -1;
        authorityStart = -1;
        schemeSeen = false;
        cookieStart = -1;
        protocolStart = -1;
        lineWritten = false;
    }

    @Override
    FieldSection section() {
        return head;
    }

    @Override
    void pseudo(HpackField field) {
        if (lineWritten) {
            refuse(Refusal.PSEUDO_FIELD);
        } else if (isNamed(field, METHOD) && methodStart < 0) {
            methodStart = keep(field);
            methodEnd = keptBytes;
        } else if (isNamed(field, PATH) && pathStart < 0) {
            pathStart = keep(field);
            pathEnd = keptBytes;
        } else if (isNamed(field, AUTHORITY) && authorityStart < 0) {
            authorityStart = keep(field);
            authorityEnd = keptBytes;
            checkAuthority(field);
        } else if (isNamed(field, PROTOCOL) && protocolStart < 0 && isToken(field)) {
            protocolStart = keep(field);
            protocolEnd = keptBytes;
        } else if (isNamed(field, SCHEME) && !schemeSeen && isScheme(field)) {
            schemeSeen = true;
        } else {
            refuse(Refusal.PSEUDO_FIELD);
        }
    }

    /**
     * It is to stand in a line, as the value of Host: nothing in it may end that; and it isn't empty, as http and https have one (RFC 9113
     * section 8.3.1). Whether it is one is judged as for any Host.
     */
    private void checkAuthority(HpackField field) {
        if (field.valueStart == field.valueEnd) {
            refuse(Refusal.HOST_INVALID);
        }
        for (int i = field.valueStart; i < field.valueEnd; i++) {
            if (!Octets.isValue(field.value[i])) {
                refuse(Refusal.HOST_INVALID);
            }
        }
    }

    private static boolean isToken(HpackField field) {
        for (int i = field.valueStart; i < field.valueEnd; i++) {
            if (!Octets.isToken(field.value[i])) {
                return false;
            }
        }
        return field.valueStart < field.valueEnd;
    }

    private static boolean isScheme(HpackField field) {
        return Octets.equalsIgnoreCase(field.value, field.valueStart, field.valueEnd, HTTP)
                || Octets.equalsIgnoreCase(field.value, field.valueStart, field.valueEnd, HTTPS);
    }

    private static boolean isNamed(HpackField field, byte[] expected) {
        return Arrays.equals(field.name, field.nameStart, field.nameEnd, expected, 0, expected.length);
    }

    /** Keeps a value, unless it is longer than any that is taken. Where it stands. */
    private int keep(HpackField field) {
        int count = field.valueEnd - field.valueStart;
        if (count > lineBytesMax) {
            refuse(Refusal.REQUEST_LINE_TOO_LONG);
            return keptBytes;
        }
        if (keptBytes + count > kept.length) {
            kept = Arrays.copyOf(kept, Math.max(kept.length * 2, keptBytes + count));
        }
        System.arraycopy(field.value, field.valueStart, kept, keptBytes, count);
        keptBytes += count;
        return keptBytes - count;
    }

    @Override
    void regular(HpackField field) {
        if (!lineWritten) {
            writeLine();
        }
        if (isRefused()) {
            return;
        }
        if (isNamed(field, COOKIE)) {
            keepCookie(field.value, field.valueStart, field.valueEnd);
        } else if (isNamed(field, HOST) && authorityStart >= 0) {
            // Written already, from the authority.
            if (!Arrays.equals(field.value, field.valueStart, field.valueEnd, kept, authorityStart, authorityEnd)) {
                refuse(Refusal.AUTHORITY_DIFFERS);
            }
        } else if (isNamed(field, HOST) && field.valueStart == field.valueEnd) {
            refuse(Refusal.HOST_INVALID);
        } else if (!isTunnel() || !isNamed(field, KEY)) {
            // There is none in HTTP/2: nodes of HTTP/1.1 get one of Sigma's, whose answer it verifies.
            line(field);
            if (field.nameEnd - field.nameStart == CONTENT_TYPE.length) {
                markCall(field);
            }
        }
    }

    /** What tells a call of gRPC has a name as long as Content-Type. */
    private void markCall(HpackField field) {
        if (isNamed(field, CONTENT_TYPE)) {
            head.grpc.type(field.value, field.valueStart, field.valueEnd);
        } else if (isNamed(field, GRPC_TIMEOUT)) {
            head.grpc.timeout(field.value, field.valueStart, field.valueEnd);
        }
    }

    private void keep(byte[] text) {
        if (keptBytes + text.length > kept.length) {
            kept = Arrays.copyOf(kept, 2 * kept.length);
        }
        System.arraycopy(text, 0, kept, keptBytes, text.length);
        keptBytes += text.length;
    }

    private void keepCookie(byte[] value, int start, int end) {
        int before = keptBytes;
        int needed = keptBytes + SEPARATOR.length + end - start;
        if (needed > kept.length) {
            kept = Arrays.copyOf(kept, Math.max(kept.length * 2, needed));
        }
        if (cookieStart < 0) {
            cookieStart = before;
        } else {
            System.arraycopy(SEPARATOR, 0, kept, keptBytes, SEPARATOR.length);
            keptBytes += SEPARATOR.length;
        }
        System.arraycopy(value, start, kept, keptBytes, end - start);
        keptBytes += end - start;
    }

    /**
     * There are no more fields.
     *
     * @param ends whether no body follows
     * @return whether the head is taken; if not, {@link #refusal} says why
     */
    boolean end(boolean ends) {
        if (!lineWritten && !isRefused()) {
            writeLine();
        }
        if (!isRefused() && cookieStart >= 0) {
            writeKept(COOKIE, cookieStart, keptBytes);
        }
        endLines();
        if (isRefused()) {
            return false;
        }
        if (ends && head.contentLength() > 0) {
            refuse(Refusal.BODY_LENGTH);
            return false;
        }
        if (isTunnel() && (ends || head.contentLength() >= 0)) {
            refuse(Refusal.PSEUDO_FIELD);
            return false;
        }
        if (!ends && !opensTunnel() && head.contentLength() < 0) {
            head.streamed();
        }
        if (!head.finish()) {
            Refusal why = head.refusal();
            refuse(why == null ? Refusal.FIELD_VALUE : why);
        }
        return !isRefused();
    }

    /** All pseudo-header fields are known. */
    private void writeLine() {
        lineWritten = true;
        head.http2();
        if (methodStart < 0 || !isMethod()) {
            refuse(Refusal.PSEUDO_FIELD);
            return;
        }
        boolean connect = Arrays.equals(kept, methodStart, methodEnd, CONNECT, 0, CONNECT.length);
        if (isTunnel()) {
            if (!connect || authorityStart < 0) {
                refuse(Refusal.PSEUDO_FIELD);
                return;
            }
            // RFC 8441 section 5: what GET with Upgrade is in HTTP/1.1.
            connect = false;
            methodStart = keptBytes;
            keep(GET);
            methodEnd = keptBytes;
        }
        if (connect ? pathStart >= 0 || schemeSeen || authorityStart < 0 : pathStart < 0 || !schemeSeen) {
            refuse(Refusal.PSEUDO_FIELD);
            return;
        }
        int targetStart = connect ? authorityStart : pathStart;
        int targetEnd = connect ? authorityEnd : pathEnd;
        int lineBytes = methodEnd - methodStart + 1 + targetEnd - targetStart + LINE_END.length;
        if (lineBytes > lineBytesMax + 2) {
            refuse(Refusal.REQUEST_LINE_TOO_LONG);
            return;
        }
        head.append(kept, methodStart, methodEnd);
        head.append(SPACE, 0, SPACE.length);
        int target = head.length();
        head.append(kept, targetStart, targetEnd);
        int end = head.length();
        head.append(LINE_END, 0, LINE_END.length);
        head.method(methodEnd - methodStart);
        head.beginFields(head.length());
        if (connect) {
            head.target().authorityForm(head.bytes(), target, end);
        } else {
            readTarget(target, end);
        }
        if (!isRefused() && authorityStart >= 0) {
            writeKept(HOST, authorityStart, authorityEnd);
        }
        if (!isRefused() && isTunnel()) {
            writeUpgrade();
        }
    }

    /** Whether another protocol is asked for on the stream (RFC 8441). */
    boolean isTunnel() {
        return protocolStart >= 0;
    }

    /** Whether what follows on the stream is no body: a CONNECT, of any kind. */
    boolean opensTunnel() {
        return isTunnel() || head.isAuthorityForm();
    }

    /** The fields that ask for the protocol in HTTP/1.1. */
    private void writeUpgrade() {
        writeOwn(CONNECTION, UPGRADE, 0, UPGRADE.length);
        writeOwn(UPGRADE, kept, protocolStart, protocolEnd);
        if (Octets.equalsIgnoreCase(kept, protocolStart, protocolEnd, WebSocketKey.WEBSOCKET)) {
            byte[] random = new byte[KEY_BYTES];
            ThreadLocalRandom.current().nextBytes(random);
            byte[] key = Base64.getEncoder().encode(random);
            writeOwn(KEY, key, 0, key.length);
        }
    }

    /** A field that no client may write in HTTP/2. */
    private void writeOwn(byte[] name, byte[] value, int start, int end) {
        own.name(name, 0, name.length);
        own.value(value, start, end);
        accept(own);
    }

    private void writeKept(byte[] name, int start, int end) {
        own.name(name, 0, name.length);
        own.value(kept, start, end);
        line(own);
    }

    private boolean isMethod() {
        if (methodEnd - methodStart > METHOD_BYTES_MAX) {
            refuse(Refusal.METHOD_TOO_LONG);
        }
        for (int i = methodStart; i < methodEnd; i++) {
            if (!Octets.isToken(kept[i])) {
                refuse(Refusal.METHOD);
            }
        }
        return methodStart < methodEnd;
    }

    /** A path and a query, or {@code *} where the method may have it. */
    private void readTarget(int start, int end) {
        byte[] bytes = head.bytes();
        if (end == start + 1 && bytes[start] == '*' && head.methodIs(OPTIONS)) {
            head.target().asteriskForm(bytes, start, end);
            return;
        }
        if (start == end || bytes[start] != '/') {
            refuse(Refusal.TARGET_FORM);
            return;
        }
        int at = start;
        while (at < end && Octets.isPath(bytes[at])) {
            at++;
        }
        int queryMark = at < end && bytes[at] == '?' ? at : -1;
        while (at < end && queryMark >= 0 && Octets.isQuery(bytes[at])) {
            at++;
        }
        if (at < end) {
            refuse(Refusal.TARGET);
        } else {
            head.target().pathForm(bytes, start, queryMark, end);
        }
    }
}
