package net.oooops.sigma.http1;

import java.util.Arrays;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as received, and what plugins made of its target. Contract and threads as for {@link RequestHead}.
 *
 * <p>The path stands in {@link #pathBytes}: the received bytes while nothing changed it, another array of this head's
 * otherwise. The received target stays where it was, for the log.
 */
public final class Http1RequestHead extends MessageHead implements RequestHead {
    private static final byte[] CONTINUE = Octets.ascii("100-continue");
    private static final byte[] GET = Octets.ascii("GET");
    private static final byte[] HEAD = Octets.ascii("HEAD");
    private static final byte[] DELETE = Octets.ascii("DELETE");
    private static final byte[] NONE = new byte[0];
    /** The length of "http". */
    private static final int HTTP_BYTES = 4;

    int methodEnd;
    int targetStart;
    int targetEnd;
    /** The authority: of the Host field, or of a target in absolute form. */
    int hostStart;

    int hostEnd;
    boolean absoluteForm;
    boolean asteriskForm;
    boolean authorityForm;
    boolean expectContinue;
    /** One empty line before the request line was ignored. */
    boolean emptyLineSkipped;

    private boolean hostSeen;

    private byte[] pathBytes = NONE;
    private int pathStart;
    private int pathEnd;
    int queryStart;
    int queryEnd;
    byte[] queryBytes = NONE;
    /** Room for a path that isn't a part of the received bytes. */
    private byte[] changed = NONE;

    private boolean pathRewritten;
    private @Nullable String authority;
    private @Nullable String pathText;
    private boolean secure;

    /** A head without a request. */
    public Http1RequestHead() {
        clear();
    }

    @Override
    public void clear() {
        super.clear();
        methodEnd = 0;
        targetStart = 0;
        targetEnd = 0;
        hostStart = 0;
        hostEnd = 0;
        absoluteForm = false;
        asteriskForm = false;
        authorityForm = false;
        expectContinue = false;
        emptyLineSkipped = false;
        hostSeen = false;
        pathBytes = NONE;
        pathStart = 0;
        pathEnd = 0;
        queryStart = -1;
        queryEnd = -1;
        queryBytes = NONE;
        authority = null;
        pathText = null;
        pathRewritten = false;
        secure = false;
    }

    @Override
    boolean acceptKnown(int known, int valueStart, int valueEnd) {
        switch (known) {
            case KnownField.HOST -> {
                if (hostSeen) {
                    return refused(Refusal.HOST_DUPLICATE);
                }
                hostSeen = true;
                if (!absoluteForm) {
                    hostStart = valueStart;
                    hostEnd = valueEnd;
                }
            }
            case KnownField.EXPECT -> {
                if (minorVersion == 1 && !Octets.equalsIgnoreCase(bytes, valueStart, valueEnd, CONTINUE)) {
                    return refused(Refusal.EXPECTATION);
                }
                expectContinue = minorVersion == 1;
            }
            default -> {
                return true;
            }
        }
        return true;
    }

    /** What can only be judged when all fields are known. */
    Step finish() {
        if (!hostSeen && minorVersion == 1) {
            return refuse(Refusal.HOST_MISSING);
        }
        markAll(KnownField.FORWARDING_LIKE, REMOVED);
        if (minorVersion == 0) {
            markAll(KnownField.EXPECT, NOT_FORWARDED);
            if (contentLength > 0 && (isGet() || isHead() || methodIs(DELETE))) {
                // RFC 1945 section 8 knows no body there: another server could read it as the next request.
                return refuse(Refusal.BODY_IN_10);
            }
        }
        if (absoluteForm) {
            // RFC 9112 section 3.2.2: the authority of the target takes the place of the Host field's.
            markAll(KnownField.HOST, NOT_FORWARDED);
        }
        return finishFraming();
    }

    /** Whether there is a field of that known kind. */
    public boolean hasKnown(int known) {
        return find(known) >= 0;
    }

    /**
     * Writes the values of all fields of that known kind, joined by commas (RFC 9110 section 5.3).
     *
     * @return whether there was one that isn't empty
     */
    public boolean joinValues(int known, HeadWriter out) {
        boolean written = false;
        for (int field = 0; field < fieldCount; field++) {
            if (known(field) == known && valueStart(field) < valueEnd(field)) {
                if (written) {
                    out.append((byte) ',');
                    out.append(Octets.SP);
                }
                out.append(bytes, valueStart(field), valueEnd(field));
                written = true;
            }
        }
        return written;
    }

    /** How often {@code text} occurs in the values of that known kind of field. */
    public int countInValues(int known, byte[] text) {
        int count = 0;
        for (int field = find(known); field >= 0 && field < fieldCount; field++) {
            if (known(field) == known) {
                count += countIn(valueStart(field), valueEnd(field), text);
            }
        }
        return count;
    }

    private int countIn(int start, int end, byte[] text) {
        int count = 0;
        for (int at = start; at + text.length <= end; at++) {
            if (Arrays.equals(bytes, at, at + text.length, text, 0, text.length)) {
                count++;
            }
        }
        return count;
    }

    /** Where path and query stand in the received bytes. */
    void target(int start, int queryMark, int end) {
        pathBytes = bytes;
        pathStart = start;
        pathEnd = queryMark < 0 ? end : queryMark;
        queryStart = queryMark < 0 ? -1 : queryMark + 1;
        queryEnd = end;
    }

    /** The received bytes may have moved to a larger array since the request line was read. */
    void settle() {
        pathBytes = bytes;
        queryBytes = bytes;
    }

    /** Whether a body follows the head (RFC 9112 section 6.3). */
    public boolean hasBody() {
        return chunked || contentLength > 0;
    }

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    public boolean expectsContinue() {
        return expectContinue && hasBody();
    }

    /** Whether the target had scheme and authority: the Host field was then not read as the authority. */
    public boolean isAbsoluteForm() {
        return absoluteForm;
    }

    /** Whether the target, in absolute form, has the scheme https. */
    public boolean isHttpsTarget() {
        return absoluteForm && (bytes[targetStart + HTTP_BYTES] | 0x20) == 's';
    }

    /** Where the value of the Host field begins in {@link #received}, whatever the target's form; 0 where there is none. */
    public int hostFieldStart() {
        int field = find(KnownField.HOST);
        return field < 0 ? 0 : valueStart(field);
    }

    /** After the value of the Host field in {@link #received}; 0 where there is none. */
    public int hostFieldEnd() {
        int field = find(KnownField.HOST);
        return field < 0 ? 0 : valueEnd(field);
    }

    /** RFC 9112 section 3.2.4: OPTIONS of an absolute target without path and query is about the server as a whole. */
    public boolean toAsteriskForm() {
        boolean ofTheServer = queryStart < 0 && methodIs(RequestParser.OPTIONS);
        if (ofTheServer) {
            pathRoom(1)[0] = '*';
            changedPath(1);
            asteriskForm = true;
        }
        return ofTheServer;
    }

    /** Whether the target is {@code *}. */
    public boolean isAsteriskForm() {
        return asteriskForm;
    }

    /** Whether the target was an authority alone, as CONNECT has it. */
    public boolean isAuthorityForm() {
        return authorityForm;
    }

    /** Whether the Host field, if there is one, isn't what the node is to see: the target's authority takes its place. */
    public boolean lacksHost() {
        return !hostSeen || absoluteForm;
    }

    /** Whether the method is HEAD. */
    public boolean isHead() {
        return methodIs(HEAD);
    }

    /** Whether the method is GET. */
    public boolean isGet() {
        return methodIs(GET);
    }

    /** Whether the method is {@code name}. */
    public boolean methodIs(Ascii name) {
        return name.length() == methodEnd && name.isPrefixOf(bytes, 0, methodEnd);
    }

    private boolean methodIs(byte[] name) {
        return Arrays.equals(bytes, 0, methodEnd, name, 0, name.length);
    }

    /** The array in which the path stands. */
    public byte[] pathBytes() {
        return pathBytes;
    }

    /** Where the path begins in {@link #pathBytes}. */
    public int pathStart() {
        return pathStart;
    }

    /** After the path in {@link #pathBytes}. */
    public int pathEnd() {
        return pathEnd;
    }

    /** Room of at least {@code bytesMax} bytes for a changed path; {@link #changedPath} says how much of it was used. */
    public byte[] pathRoom(int bytesMax) {
        if (changed.length < bytesMax) {
            changed = new byte[Math.max(bytesMax, 256)];
        }
        return changed;
    }

    /** The path is now the first {@code length} bytes of {@link #pathRoom}. */
    public void changedPath(int length) {
        pathBytes = changed;
        pathStart = 0;
        pathEnd = length;
        pathText = null;
    }

    /** Whether {@link #path(String)} or {@link #replacePathPrefix} gave a path that nobody has accepted since. */
    public boolean isPathRewritten() {
        return pathRewritten;
    }

    /** The path was looked at. */
    public void acceptPath() {
        pathRewritten = false;
    }

    /** The received bytes: method, target and fields stand in them. */
    public byte[] received() {
        return bytes;
    }

    /** Where the authority begins in {@link #received}. */
    public int authorityStart() {
        return hostStart;
    }

    /** After the authority in {@link #received}. */
    public int authorityEnd() {
        return hostEnd;
    }

    /**
     * Copies the value of the first field of that name as received, at most {@code bytesMax} bytes of it.
     *
     * @return the position after it, or -1 where there is no such field
     */
    public int copyReceivedValue(FieldName name, byte[] out, int at, int bytesMax) {
        for (int field = 0; field < fieldCount; field++) {
            if (name.matches(bytes, nameStart(field), nameEnd(field))) {
                return copyReceived(valueStart(field), valueEnd(field), out, at, bytesMax);
            }
        }
        return -1;
    }

    /** Copies received bytes, at most {@code bytesMax} of them, and returns the position after them. */
    public int copyReceived(int start, int end, byte[] out, int at, int bytesMax) {
        int length = Math.min(end - start, bytesMax);
        System.arraycopy(bytes, start, out, at, length);
        return at + length;
    }

    /** How many of the first received bytes are the request line, its end left out; 0 before it was understood. */
    public int requestLineBytes() {
        return fieldsStart > 0 ? fieldsStart - 2 : 0;
    }

    /** The client's connection is encrypted: the scheme is https. */
    public void secure(boolean value) {
        secure = value;
    }

    /** Whether the client's connection is encrypted. */
    public boolean isSecure() {
        return secure;
    }

    @Override
    public String method() {
        return Octets.string(bytes, 0, methodEnd);
    }

    @Override
    public String scheme() {
        return secure ? "https" : "http";
    }

    @Override
    public String authority() {
        String text = authority;
        if (text == null) {
            text = Octets.string(bytes, hostStart, hostEnd);
            authority = text;
        }
        return text;
    }

    @Override
    public String path() {
        String text = pathText;
        if (text == null) {
            text = Octets.string(pathBytes, pathStart, pathEnd);
            pathText = text;
        }
        return text;
    }

    @Override
    public @Nullable String query() {
        return queryStart < 0 ? null : Octets.string(queryBytes, queryStart, queryEnd);
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        return prefix.isPrefixOf(pathBytes, pathStart, pathEnd);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        if (prefixBytes < 0 || prefixBytes > pathEnd - pathStart) {
            throw new IndexOutOfBoundsException(
                    "prefixBytes: " + prefixBytes + " (expected: 0 to " + (pathEnd - pathStart) + ")");
        }
        pathText = null;
        pathRewritten = true;
        int start = pathStart + prefixBytes - replacement.length();
        boolean standsThere = start >= pathStart && replacement.isPrefixOf(pathBytes, start, pathEnd);
        if (standsThere && start < pathEnd && pathBytes[start] == '/') {
            pathStart = start;
        } else if (standsThere && start > pathStart && pathBytes[start - 1] == '/') {
            pathStart = start - 1;
        } else {
            replaceByCopy(pathStart + prefixBytes, replacement);
        }
    }

    private void replaceByCopy(int restStart, Ascii replacement) {
        byte[] from = pathBytes;
        int restBytes = pathEnd - restStart;
        byte[] to = from == changed
                ? new byte[replacement.length() + restBytes + 1]
                : pathRoom(replacement.length() + restBytes + 1);
        boolean absolute =
                replacement.length() > 0 ? replacement.byteAt(0) == '/' : restBytes > 0 && from[restStart] == '/';
        int at = 0;
        if (!absolute) {
            to[at++] = '/';
        }
        at = replacement.copyTo(to, at);
        System.arraycopy(from, restStart, to, at, restBytes);
        changed = to;
        changedPath(at + restBytes);
    }

    @Override
    public void path(String path) {
        boolean valid = path.startsWith("/") && TargetText.isPath(path);
        if (!valid) {
            throw new IllegalArgumentException("\"" + path + "\" (expected: \"/\", then characters of a path)");
        }
        byte[] text = Octets.ascii(path);
        System.arraycopy(text, 0, pathRoom(text.length), 0, text.length);
        changedPath(text.length);
        pathRewritten = true;
    }

    @Override
    public void query(@Nullable String query) {
        if (query == null) {
            queryStart = -1;
            return;
        }
        if (!TargetText.isQuery(query)) {
            throw new IllegalArgumentException("\"" + query + "\" (expected: characters of a query)");
        }
        queryBytes = Octets.ascii(query);
        queryStart = 0;
        queryEnd = queryBytes.length;
    }

    /** How many bytes {@link #copyTarget} writes. */
    int targetBytes() {
        return pathEnd - pathStart + (queryStart < 0 ? 0 : 1 + queryEnd - queryStart);
    }

    /** Writes path and query as they are now. */
    int copyTarget(byte[] target, int at) {
        int length = pathEnd - pathStart;
        System.arraycopy(pathBytes, pathStart, target, at, length);
        int end = at + length;
        if (queryStart >= 0) {
            target[end++] = '?';
            System.arraycopy(queryBytes, queryStart, target, end, queryEnd - queryStart);
            end += queryEnd - queryStart;
        }
        return end;
    }
}
