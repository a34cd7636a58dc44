package net.oooops.sigma.testkit;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** The request's head of a {@link TestExchange}. For one thread at a time. */
public final class TestRequestHead extends TestHead implements RequestHead {
    /** RFC 3986, and what the URL standard of WHATWG leaves as it is. */
    private static final String PATH_EXTRAS = "/-._~!$&'()*+,;=:@[]|^";

    private static final String QUERY_EXTRAS = PATH_EXTRAS + "%?\\`{}";
    private static final FieldName HOST = FieldName.of("Host");

    private static final FieldName FRAMED_BY_LENGTH = FieldName.of("Content-Length");
    private static final FieldName FRAMED_BY_CHUNKS = FieldName.of("Transfer-Encoding");

    private static final int METHOD_CHARACTERS_MAX = 32;

    private final String received;
    private String method;
    private boolean hasBody;
    private long bodyBytes;
    private boolean measured = true;
    private String scheme = "http";
    private String path;
    private final String receivedPath;
    private final @Nullable String receivedQuery;
    private @Nullable String query;

    TestRequestHead(String method, String target, String... fields) {
        super(fields);
        int mark = target.indexOf('?');
        this.received = method;
        this.method = method;
        this.path = mark < 0 ? target : target.substring(0, mark);
        this.receivedPath = path;
        this.receivedQuery = mark < 0 ? null : target.substring(mark + 1);
        this.query = receivedQuery;
        if (!path.equals("*")) {
            check("path", path, path.startsWith("/") && isPath(path));
        }
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public void method(String other) {
        if (received.equals("CONNECT")) {
            throw new IllegalStateException("the method of a CONNECT (expected: it stays)");
        }
        boolean token = FieldName.isToken(other) && other.length() <= METHOD_CHARACTERS_MAX;
        boolean fits = !path.equals("*") || other.equals("OPTIONS");
        if (!token || !fits || other.equals("CONNECT") || other.equals("TRACE")) {
            throw new IllegalArgumentException(
                    "method: \"" + other + "\" (expected: a token, neither CONNECT nor TRACE)");
        }
        method = other;
    }

    @Override
    public String receivedMethod() {
        return received;
    }

    @Override
    public String scheme() {
        return scheme;
    }

    void scheme(String scheme) {
        this.scheme = scheme;
    }

    @Override
    public String authority() {
        String host = value(HOST);
        return host == null ? "" : host;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String receivedPath() {
        return receivedPath;
    }

    @Override
    public @Nullable String receivedQuery() {
        return receivedQuery;
    }

    @Override
    public @Nullable String query() {
        return query;
    }

    @Override
    public boolean hasBody() {
        return hasBody || has(FRAMED_BY_LENGTH) || has(FRAMED_BY_CHUNKS);
    }

    /** Of so many bytes; or -1 for one whose length nobody knows. */
    void body(long bytes) {
        hasBody = true;
        bodyBytes = bytes;
    }

    /** It becomes another one. */
    void unmeasured() {
        measured = false;
    }

    @Override
    public long contentLength() {
        if (!measured) {
            return -1;
        }
        if (hasBody) {
            return bodyBytes;
        }
        String said = value(FRAMED_BY_LENGTH);
        if (said == null) {
            return has(FRAMED_BY_CHUNKS) ? -1 : 0;
        }
        return Long.parseLong(said);
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        return path.startsWith(prefix.toString());
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        String replaced = replacement + path.substring(prefixBytes);
        path = replaced.startsWith("/") ? replaced : "/" + replaced;
    }

    @Override
    public void path(String path) {
        check("path", path, path.startsWith("/") && isPath(path));
        this.path = path;
    }

    @Override
    public void query(@Nullable String query) {
        if (query != null) {
            check("query", query, query.chars().allMatch(c -> isOf((char) c, QUERY_EXTRAS)));
        }
        this.query = query;
    }

    private static void check(String what, String text, boolean valid) {
        if (!valid) {
            throw new IllegalArgumentException(what + ": \"" + text + "\" (expected: a " + what + ", RFC 3986)");
        }
    }

    private static boolean isPath(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (!isHexAt(text, i + 1) || !isHexAt(text, i + 2)) {
                    return false;
                }
                i += 2;
            } else if (!isOf(c, PATH_EXTRAS)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOf(char c, String extras) {
        return c <= 0x7F && (Character.isLetterOrDigit(c) || extras.indexOf(c) >= 0);
    }

    private static boolean isHexAt(String text, int at) {
        return at < text.length() && text.charAt(at) <= 0x7F && Character.digit(text.charAt(at), 16) >= 0;
    }
}
