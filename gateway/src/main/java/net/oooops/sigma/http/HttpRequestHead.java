package net.oooops.sigma.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as received, and what plugins made of its method and target. Contract and threads as for {@link RequestHead}.
 *
 * <p>The received target stays where it was, for the log; {@link #target} has what it is by now.
 */
public final class HttpRequestHead extends MessageHead implements RequestHead {
    private static final byte[] CONTINUE = Octets.ascii("100-continue");
    private static final byte[] TRAILERS = Octets.ascii("trailers");
    private static final byte[] GET = Octets.ascii("GET");
    private static final byte[] HEAD = Octets.ascii("HEAD");
    private static final byte[] DELETE = Octets.ascii("DELETE");
    private static final byte[][] WITH_CONTENT = {Octets.ascii("POST"), Octets.ascii("PUT"), Octets.ascii("PATCH")};

    int methodEnd;
    /** The method that a plugin gave; null where none did. */
    private byte @Nullable [] givenMethod;

    private boolean expectContinue;
    /** One empty line before the request line was ignored. */
    private boolean emptyLineSkipped;

    private boolean secure;
    private final RequestTarget target = new RequestTarget();
    /** What its node is asked to switch to. */
    public final AskedProtocol protocol = new AskedProtocol();
    /** What it says of gRPC. */
    public final GrpcMarks grpc = new GrpcMarks();

    /** What plugins took out of it, or said themselves: clients don't say it in its trailers either. */
    private final List<FieldName> withheld = new ArrayList<>(0);

    /** A head without a request. */
    public HttpRequestHead() {
        clear();
    }

    @Override
    public void clear() {
        super.clear();
        methodEnd = 0;
        givenMethod = null;
        expectContinue = false;
        emptyLineSkipped = false;
        secure = false;
        target.clear();
        protocol.clear();
        grpc.clear();
        if (!withheld.isEmpty()) {
            withheld.clear();
        }
    }

    @Override
    public void set(Field field) {
        super.set(field);
        if (!field.name().isOfTheConnection()) {
            withheld.add(field.name());
        }
    }

    @Override
    public void remove(FieldName name) {
        super.remove(name);
        withheld.add(name);
    }

    /** Takes out of its trailers what was taken out of this, or set: some nodes make one of both. */
    public void withhold(Trailers trailers) {
        for (int i = 0; i < withheld.size(); i++) {
            trailers.removeAlike(withheld.get(i));
        }
    }

    @Override
    boolean acceptKnown(int known, int valueStart, int valueEnd) {
        switch (known) {
            case KnownField.HOST -> {
                return target.hostField(valueStart, valueEnd) || refuse(Refusal.HOST_DUPLICATE);
            }
            case KnownField.EXPECT -> {
                if (minorVersion == 1 && !Octets.equalsIgnoreCase(bytes, valueStart, valueEnd, CONTINUE)) {
                    return refuse(Refusal.EXPECTATION);
                }
                expectContinue = minorVersion == 1;
                return true;
            }
            default -> {
                return true;
            }
        }
    }

    /** What can only be judged when all fields are known. Whether the head is taken. */
    public boolean finish() {
        // They may have moved to a larger array since the request line was read.
        target.settle(bytes);
        if (!target.hasHostField() && minorVersion == 1) {
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
        if (target.hasAuthority()) {
            // RFC 9112 section 3.2.2: the authority of the target takes the place of the Host field's.
            markAll(KnownField.HOST, NOT_FORWARDED);
        }
        if (isAuthorityForm()) {
            finishConnect();
        }
        return finishFraming();
    }

    /** Takes out all that was received of X-Consumer-…, as if it hadn't been sent. */
    public void hideConsumer() {
        markAll(KnownField.X_CONSUMER, REMOVED);
    }

    /** It is a proxy's that it is handed on to: that one asks who is there (RFC 9110 section 11.7), and there is no body to be framed. */
    private void finishConnect() {
        keep(KnownField.PROXY_AUTHORIZATION);
        contentLength = contentLength == 0 ? NO_LENGTH : contentLength;
    }

    /** The head begins with a method of that many bytes. */
    public void method(int bytesOfIt) {
        methodEnd = bytesOfIt;
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

    /** Whether a body follows the head (RFC 9112 section 6.3). */
    @Override
    public boolean hasBody() {
        return chunked || contentLength > 0;
    }

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    public boolean expectsContinue() {
        return expectContinue && hasBody();
    }

    // Another protocol

    /** Whether the client asks for another protocol on its connection, in the form in which it may get it (RFC 9110 section 7.8). */
    public boolean asksForProtocol() {
        return upgradeOption
                && minorVersion == 1
                && !hasBody()
                && find(KnownField.UPGRADE) >= 0
                && isGet()
                && givenMethod == null;
    }

    /**
     * Of the protocols that the client asks for, has the node asked for the first of those. Only where it asks.
     *
     * @return whether there is one
     */
    public boolean chooseProtocol(ProtocolNames allowed) {
        for (int field = 0; field < fieldCount && !isSwitching(); field++) {
            if (known(field) == KnownField.UPGRADE) {
                protocol.choose(bytes, valueStart(field), valueEnd(field), allowed);
            }
        }
        return isSwitching();
    }

    /** Whether the node is asked to switch to another protocol: 101 then answers the request. */
    public boolean isSwitching() {
        return protocol.isChosen();
    }

    /** Whether success opens a tunnel: it asks for another protocol, or is a CONNECT. */
    public boolean asksForTunnel() {
        return isSwitching() || isAuthorityForm();
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

    /** Whether the target was an authority alone, as CONNECT has it. */
    public boolean isAuthorityForm() {
        return target.isAuthorityForm();
    }

    /** Whether the Host field, if there is one, isn't what the node is to see: the target's authority takes its place. */
    public boolean lacksHost() {
        return !target.hasHostField() || target.hasAuthority();
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

    /** Whether the method that nodes get is {@code name}. */
    public boolean isSentAs(Ascii name) {
        byte[] given = givenMethod;
        return given == null
                ? methodIs(name)
                : name.length() == given.length && name.isPrefixOf(given, 0, given.length);
    }

    /** Whether nodes get HEAD. */
    public boolean isSentAsHead() {
        byte[] given = givenMethod;
        return given == null ? isHead() : Arrays.equals(given, HEAD);
    }

    /** Whether nodes get another method than the client has sent. */
    public boolean isMethodGiven() {
        return givenMethod != null;
    }

    /** Whether nodes get a method that a plugin gave, and that they expect content with (RFC 9110 section 8.6). */
    private boolean isGivenWithContent() {
        byte[] given = givenMethod;
        for (int i = 0; given != null && i < WITH_CONTENT.length; i++) {
            if (Arrays.equals(given, WITH_CONTENT[i])) {
                return true;
            }
        }
        return false;
    }

    /** The length that nodes are told where nothing became of the body, or -1. */
    public long sentLength() {
        return contentLength == NO_LENGTH && !chunked && isGivenWithContent() ? 0 : contentLength;
    }

    /** Where the method that nodes get stands: in the first {@link #sentMethodBytes} bytes. */
    public byte[] sentMethod() {
        byte[] given = givenMethod;
        return given == null ? bytes : given;
    }

    /** How long the method that nodes get is. */
    public int sentMethodBytes() {
        byte[] given = givenMethod;
        return given == null ? methodEnd : given.length;
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
        return target.authorityStart();
    }

    /** After the authority in {@link #received}. */
    public int authorityEnd() {
        return target.authorityEnd();
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
        return Octets.string(sentMethod(), 0, sentMethodBytes());
    }

    @Override
    public void method(String name) {
        GivenMethod.check(name, isAuthorityForm(), path());
        byte[] given = Octets.ascii(name);
        givenMethod = methodIs(given) ? null : given;
    }

    @Override
    public String receivedMethod() {
        return Octets.string(bytes, 0, methodEnd);
    }

    @Override
    public String scheme() {
        return secure ? "https" : "http";
    }

    @Override
    public String authority() {
        return target.authority(bytes);
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
    public String receivedPath() {
        return target.routedPath();
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
    public @Nullable String receivedQuery() {
        return target.receivedQuery();
    }

    @Override
    public void query(@Nullable String query) {
        target.query(query);
    }

    @Override
    public List<String> cookies(CookieName name) {
        return RequestCookie.values(this, name);
    }
}
