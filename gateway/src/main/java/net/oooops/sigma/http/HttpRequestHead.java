package net.oooops.sigma.http;

import java.util.Arrays;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as received, and what plugins made of its target. Contract and threads as for {@link RequestHead}.
 *
 * <p>The received target stays where it was, for the log; {@link #target} has what it is by now.
 */
public final class HttpRequestHead extends MessageHead implements RequestHead {
    private static final byte[] CONTINUE = Octets.ascii("100-continue");
    private static final byte[] TRAILERS = Octets.ascii("trailers");
    private static final byte[] GET = Octets.ascii("GET");
    private static final byte[] HEAD = Octets.ascii("HEAD");
    private static final byte[] OPTIONS = Octets.ascii("OPTIONS");
    private static final byte[] DELETE = Octets.ascii("DELETE");
    /** The length of "http". */
    private static final int HTTP_BYTES = 4;

    int methodEnd;
    private int targetStart;
    /** The authority: of the Host field, or of a target in absolute form. */
    private int hostStart;

    private int hostEnd;
    private boolean absoluteForm;
    private boolean asteriskForm;
    private boolean authorityForm;
    private boolean expectContinue;
    /** One empty line before the request line was ignored. */
    private boolean emptyLineSkipped;

    private boolean hostSeen;
    /** The protocol that the node is asked to switch to; empty where it isn't asked. */
    private int protocolStart;

    private int protocolEnd;

    private final RequestTarget target = new RequestTarget();
    /** What it says of gRPC. */
    public final GrpcMarks grpc = new GrpcMarks();

    private @Nullable String authority;
    private boolean secure;

    /** A head without a request. */
    public HttpRequestHead() {
        clear();
    }

    @Override
    public void clear() {
        super.clear();
        methodEnd = 0;
        targetStart = 0;
        hostStart = 0;
        hostEnd = 0;
        absoluteForm = false;
        asteriskForm = false;
        authorityForm = false;
        expectContinue = false;
        emptyLineSkipped = false;
        hostSeen = false;
        protocolStart = 0;
        protocolEnd = 0;
        target.clear();
        grpc.clear();
        authority = null;
        secure = false;
    }

    @Override
    boolean acceptKnown(int known, int valueStart, int valueEnd) {
        switch (known) {
            case KnownField.HOST -> {
                if (hostSeen) {
                    return refuse(Refusal.HOST_DUPLICATE);
                }
                hostSeen = true;
                if (!absoluteForm && !authorityForm) {
                    hostStart = valueStart;
                    hostEnd = valueEnd;
                }
            }
            case KnownField.EXPECT -> {
                if (minorVersion == 1 && !Octets.equalsIgnoreCase(bytes, valueStart, valueEnd, CONTINUE)) {
                    return refuse(Refusal.EXPECTATION);
                }
                expectContinue = minorVersion == 1;
            }
            default -> {
                return true;
            }
        }
        return true;
    }

    /** What can only be judged when all fields are known. Whether the head is taken. */
    public boolean finish() {
        // They may have moved to a larger array since the request line was read.
        target.settle(bytes);
        if (!hostSeen && minorVersion == 1) {
            return refuse(Refusal.HOST_MISSING);
        }
        markAll(KnownField.FORWARDING_LIKE, REMOVED);
        // RFC 9440 section 2.4: what others write there, nobody has verified.
        markAll(KnownField.CLIENT_CERT, REMOVED);
        markAll(KnownField.CLIENT_CERT_CHAIN, REMOVED);
        if (minorVersion == 0) {
            markAll(KnownField.EXPECT, NOT_FORWARDED);
            if (contentLength > 0 && (isGet() || isHead() || methodIs(DELETE))) {
                // RFC 1945 section 8 knows no body there: another server could read it as the next request.
                return refuse(Refusal.BODY_IN_10);
            }
        }
        if (absoluteForm || authorityForm) {
            // RFC 9112 section 3.2.2: the authority of the target takes the place of the Host field's.
            markAll(KnownField.HOST, NOT_FORWARDED);
        }
        if (authorityForm) {
            finishConnect();
        }
        return finishFraming();
    }

    /** It is a proxy's that it is handed on to: that one asks who is there (RFC 9110 section 11.7), and there is no body to be framed. */
    private void finishConnect() {
        keep(KnownField.PROXY_AUTHORIZATION);
        contentLength = contentLength == 0 ? NO_LENGTH : contentLength;
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

    /**
     * The line that the head begins with.
     *
     * @param afterMethod where the method ends
     * @param start where the target begins
     */
    public void requestLine(int afterMethod, int start) {
        methodEnd = afterMethod;
        targetStart = start;
    }

    /** Takes an empty line of that many bytes out that came before the request line: once. */
    public boolean skipEmptyLine(int bytesOfIt) {
        if (emptyLineSkipped) {
            return false;
        }
        emptyLineSkipped = true;
        length -= bytesOfIt;
        System.arraycopy(bytes, bytesOfIt, bytes, 0, length);
        return true;
    }

    /** RFC 9112 section 3.2.1: the target is a path and a query. */
    public void pathForm(int start, int queryMark, int end) {
        target.received(bytes, start, queryMark, end);
    }

    /** RFC 9112 section 3.2.2: the target has an authority, too. */
    public void absoluteForm(int authorityStart, int authorityEnd, int queryMark, int end) {
        absoluteForm = true;
        hostStart = authorityStart;
        hostEnd = authorityEnd;
        target.received(bytes, authorityEnd, queryMark, end);
    }

    /** RFC 9112 section 3.2.3: the target is an authority alone. */
    public void authorityForm(int start, int end) {
        authorityForm = true;
        hostStart = start;
        hostEnd = end;
        target.received(bytes, end, -1, end);
    }

    /** RFC 9112 section 3.2.4: the target is {@code *}. */
    public void asteriskForm(int start, int end) {
        asteriskForm = true;
        target.received(bytes, start, -1, end);
    }

    /** Whether a body follows the head (RFC 9112 section 6.3). */
    public boolean hasBody() {
        return chunked || contentLength > 0;
    }

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    public boolean expectsContinue() {
        return expectContinue && hasBody();
    }

    /** Whether the client asks for another protocol on its connection, in the form in which it may get it (RFC 9110 section 7.8). */
    public boolean asksForProtocol() {
        return upgradeOption && minorVersion == 1 && !hasBody() && find(KnownField.UPGRADE) >= 0 && isGet();
    }

    /**
     * Of the protocols that the client asks for, has the node asked for the first of those. Only where it asks.
     *
     * @return whether there is one
     */
    public boolean chooseProtocol(ProtocolNames allowed) {
        for (int field = 0; field < fieldCount && !isSwitching(); field++) {
            if (known(field) == KnownField.UPGRADE) {
                long first = allowed.firstIn(bytes, valueStart(field), valueEnd(field));
                if (first != Span.NONE) {
                    protocolStart = Span.start(first);
                    protocolEnd = Span.end(first);
                }
            }
        }
        return isSwitching();
    }

    /** Whether the node is asked to switch to another protocol: 101 then answers the request. */
    public boolean isSwitching() {
        return protocolEnd > 0;
    }

    /** Whether success opens a tunnel: it asks for another protocol, or is a CONNECT. */
    public boolean asksForTunnel() {
        return isSwitching() || authorityForm;
    }

    /** Whether the node is asked to switch to that one, which is all lower case. */
    public boolean isSwitchingTo(byte[] lowerCase) {
        return Octets.equalsIgnoreCase(bytes, protocolStart, protocolEnd, lowerCase);
    }

    /** Whether {@code other[start, end)} is the protocol that the node is asked for, in any letter case. */
    boolean isProtocol(byte[] other, int start, int end) {
        boolean same = end - start == protocolEnd - protocolStart;
        for (int i = 0; same && i < end - start; i++) {
            same = Octets.lower(other[start + i]) == Octets.lower(bytes[protocolStart + i]);
        }
        return same;
    }

    /** Where the protocol that the node is asked for begins in {@link #received}. */
    public int protocolStart() {
        return protocolStart;
    }

    /** After that protocol. */
    public int protocolEnd() {
        return protocolEnd;
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
        boolean ofTheServer = !target.hasQuery() && methodIs(OPTIONS);
        if (ofTheServer) {
            target.pathRoom(1)[0] = '*';
            target.changedPath(1);
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
        return !hostSeen || absoluteForm || authorityForm;
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

    /** Whether the method is {@code name}. */
    public boolean methodIs(byte[] name) {
        return Arrays.equals(bytes, 0, methodEnd, name, 0, name.length);
    }

    /** How many of the first received bytes are the method. */
    public int methodBytes() {
        return methodEnd;
    }

    /** Whether the client says that it takes trailers ({@code TE: trailers}, RFC 9110 section 10.1.4). */
    public boolean takesTrailers() {
        for (int field = find(KnownField.TE); field >= 0 && field < fieldCount; field++) {
            boolean said = known(field) == KnownField.TE
                    && Octets.equalsIgnoreCase(bytes, valueStart(field), valueEnd(field), TRAILERS);
            if (said) {
                return true;
            }
        }
        return false;
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

    // Path and query, of which plugins may make others

    /** Path and query as they are now. */
    public RequestTarget target() {
        return target;
    }

    @Override
    public String path() {
        return target.path();
    }

    @Override
    public void path(String path) {
        target.path(path);
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        return target.pathStartsWith(prefix);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        target.replacePathPrefix(prefixBytes, replacement);
    }

    @Override
    public @Nullable String query() {
        return target.query();
    }

    @Override
    public void query(@Nullable String query) {
        target.query(query);
    }
}
