package net.oooops.sigma.http;

import net.oooops.sigma.api.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * What a request is for: its target, in one of four forms (RFC 9112 section 3.2), and the authority, which is the target's or, where that has
 * none, the Host field's. Path and query are as received at first, then as plugins made them.
 *
 * <p>The path stands in {@link #pathBytes}: the received bytes while nothing changed it, another array of its own otherwise. The authority
 * always stands in the received bytes.
 *
 * <p>Part of a head, used again with it, and on its thread.
 */
public final class RequestTarget {
    private static final byte[] NONE = {};
    private static final int ROOM_FIRST = 256;
    /** What a scheme ends with, and what stands between it and the authority. */
    private static final int SCHEME_END_BYTES = "s://".length();

    private boolean absoluteForm;
    private boolean asteriskForm;
    private boolean authorityForm;
    private boolean httpsScheme;
    private boolean hostSeen;
    private int authorityStart;
    private int authorityEnd;
    private @Nullable String authority;

    private byte[] pathBytes = NONE;
    private int pathStart;
    private int pathEnd;
    private byte[] queryBytes = NONE;
    private int queryStart;
    private int queryEnd;
    /** Whether a plugin gave another query; then the one that was received stands in the next three. */
    private boolean queryGiven;

    private byte[] receivedQueryBytes = NONE;
    private int receivedQueryStart;
    private int receivedQueryEnd;
    /** Room for a path that isn't a part of the received bytes. */
    private byte[] changed = NONE;

    private boolean pathRewritten;
    private @Nullable String pathText;

    private byte[] routedBytes = NONE;
    private int routedStart;
    private int routedEnd;

    /** That of a head without a request. */
    RequestTarget() {
        clear();
    }

    /** Forgets the request. */
    void clear() {
        absoluteForm = false;
        asteriskForm = false;
        authorityForm = false;
        httpsScheme = false;
        hostSeen = false;
        authorityStart = 0;
        authorityEnd = 0;
        authority = null;
        pathBytes = NONE;
        pathStart = 0;
        pathEnd = 0;
        queryStart = -1;
        queryEnd = -1;
        if (queryBytes.length > 0) {
            queryBytes = NONE;
        }
        if (queryGiven) {
            queryGiven = false;
            receivedQueryBytes = NONE;
        }
        pathText = null;
        pathRewritten = false;
        routed();
    }

    /** A Route is looked for by the path as it is now: it can be asked for later, whatever becomes of it. */
    public void routed() {
        routedBytes = pathBytes;
        routedStart = pathStart;
        routedEnd = pathEnd;
    }

    /** The path that a Route was found by. */
    String routedPath() {
        return routedBytes == pathBytes && routedStart == pathStart && routedEnd == pathEnd
                ? path()
                : Octets.string(routedBytes, routedStart, routedEnd);
    }

    /**
     * Segment number {@code index} of the path that a Route was found by, counted from 0 behind its first slash.
     *
     * @throws IndexOutOfBoundsException where it has no such segment
     */
    public String routedSegment(int index) {
        int start = routedStart + 1;
        for (int i = 0; i < index; i++) {
            start = slash(start) + 1;
        }
        if (start > routedEnd) {
            throw new IndexOutOfBoundsException("segment " + index + " (expected: of the path)");
        }
        return Octets.string(routedBytes, start, slash(start));
    }

    private int slash(int from) {
        int at = from;
        while (at < routedEnd && routedBytes[at] != '/') {
            at++;
        }
        return at;
    }

    // As it is received

    /** RFC 9112 section 3.2.1: the target is a path and a query. */
    public void pathForm(byte[] bytes, int start, int queryMark, int end) {
        pathBytes = bytes;
        pathStart = start;
        pathEnd = queryMark < 0 ? end : queryMark;
        queryStart = queryMark < 0 ? -1 : queryMark + 1;
        queryEnd = end;
    }

    /** RFC 9112 section 3.2.2: the target has a scheme and an authority, too. */
    public void absoluteForm(byte[] bytes, int start, int afterAuthority, int queryMark, int end) {
        absoluteForm = true;
        httpsScheme = (bytes[start - SCHEME_END_BYTES] | 0x20) == 's';
        authorityStart = start;
        authorityEnd = afterAuthority;
        pathForm(bytes, afterAuthority, queryMark, end);
    }

    /** RFC 9112 section 3.2.3: the target is an authority alone. */
    public void authorityForm(byte[] bytes, int start, int end) {
        authorityForm = true;
        authorityStart = start;
        authorityEnd = end;
        pathForm(bytes, end, -1, end);
    }

    /** RFC 9112 section 3.2.4: the target is {@code *}. */
    public void asteriskForm(byte[] bytes, int start, int end) {
        asteriskForm = true;
        pathForm(bytes, start, -1, end);
    }

    /** There is a Host field. False where it isn't the first. */
    boolean hostField(int valueStart, int valueEnd) {
        if (hostSeen) {
            return false;
        }
        hostSeen = true;
        if (!hasAuthority()) {
            authorityStart = valueStart;
            authorityEnd = valueEnd;
        }
        return true;
    }

    /** The received bytes stand in that array by now. */
    void settle(byte[] bytes) {
        pathBytes = bytes;
        queryBytes = bytes;
    }

    // What it is

    /** Whether it has scheme and authority: the Host field was then not read as the authority. */
    public boolean isAbsoluteForm() {
        return absoluteForm;
    }

    /** Whether it is in absolute form, and its scheme https. */
    public boolean isHttps() {
        return httpsScheme;
    }

    /** Whether it is an authority alone, as CONNECT has it. */
    boolean isAuthorityForm() {
        return authorityForm;
    }

    /** Whether it has an authority of its own: the Host field isn't what counts then. */
    boolean hasAuthority() {
        return absoluteForm || authorityForm;
    }

    /** Whether it is {@code *}. */
    public boolean isAsteriskForm() {
        return asteriskForm;
    }

    /** Where it has no path, it is about the server as a whole. */
    public void toAsteriskForm() {
        pathRoom(1)[0] = '*';
        changedPath(1);
        asteriskForm = true;
    }

    /** Whether there is a Host field. */
    boolean hasHostField() {
        return hostSeen;
    }

    /** Where the authority begins in the received bytes. */
    int authorityStart() {
        return authorityStart;
    }

    /** After the authority in the received bytes. */
    int authorityEnd() {
        return authorityEnd;
    }

    /** The authority, of which {@code received} are the bytes. */
    String authority(byte[] received) {
        String text = authority;
        if (text == null) {
            text = Octets.string(received, authorityStart, authorityEnd);
            authority = text;
        }
        return text;
    }

    /** The array in which the query stands. */
    byte[] queryBytes() {
        return queryBytes;
    }

    /** Where the query begins in {@link #queryBytes}, -1 where there is none. */
    int queryStart() {
        return queryStart;
    }

    /** After the query in {@link #queryBytes}. */
    int queryEnd() {
        return queryEnd;
    }

    /** Whether there is a query, though it may be empty. */
    public boolean hasQuery() {
        return queryStart >= 0;
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
        if (changed.length < bytesMax || (changed == routedBytes && changed != NONE)) {
            changed = new byte[Math.max(bytesMax, ROOM_FIRST)];
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

    /** Whether {@link HttpRequestHead#path(String)} or {@link HttpRequestHead#replacePathPrefix} gave a path that nobody has accepted since. */
    public boolean isPathRewritten() {
        return pathRewritten;
    }

    /** The path was looked at. */
    public void acceptPath() {
        pathRewritten = false;
    }

    String path() {
        String text = pathText;
        if (text == null) {
            text = Octets.string(pathBytes, pathStart, pathEnd);
            pathText = text;
        }
        return text;
    }

    @Nullable String query() {
        return queryStart < 0 ? null : Octets.string(queryBytes, queryStart, queryEnd);
    }

    boolean pathStartsWith(Ascii prefix) {
        return prefix.isPrefixOf(pathBytes, pathStart, pathEnd);
    }

    void replacePathPrefix(int prefixBytes, Ascii replacement) {
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

    void path(String path) {
        boolean valid = path.startsWith("/") && TargetText.isPath(path);
        if (!valid) {
            throw new IllegalArgumentException("\"" + path + "\" (expected: \"/\", then characters of a path)");
        }
        byte[] text = Octets.ascii(path);
        System.arraycopy(text, 0, pathRoom(text.length), 0, text.length);
        changedPath(text.length);
        pathRewritten = true;
    }

    /** The query as it was received. */
    @Nullable String receivedQuery() {
        if (!queryGiven) {
            return query();
        }
        return receivedQueryStart < 0 ? null : Octets.string(receivedQueryBytes, receivedQueryStart, receivedQueryEnd);
    }

    void query(@Nullable String query) {
        if (query != null && !TargetText.isQuery(query)) {
            throw new IllegalArgumentException("\"" + query + "\" (expected: characters of a query)");
        }
        if (!queryGiven) {
            queryGiven = true;
            receivedQueryBytes = queryBytes;
            receivedQueryStart = queryStart;
            receivedQueryEnd = queryEnd;
        }
        if (query == null) {
            queryStart = -1;
            return;
        }
        queryBytes = Octets.ascii(query);
        queryStart = 0;
        queryEnd = queryBytes.length;
    }

    /** How many bytes {@link #copyTo} writes. */
    int bytes() {
        return pathEnd - pathStart + (queryStart < 0 ? 0 : 1 + queryEnd - queryStart);
    }

    /** Writes path and query as they are now. */
    int copyTo(byte[] target, int at) {
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
