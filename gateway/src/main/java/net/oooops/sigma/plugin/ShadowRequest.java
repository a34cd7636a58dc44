package net.oooops.sigma.plugin;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.http.GivenMethod;
import net.oooops.sigma.http.TargetText;
import org.jspecify.annotations.Nullable;

/** A request's head whose edits stay here. */
final class ShadowRequest extends ShadowHead<RequestHead> implements RequestHead {
    private @Nullable String method;
    private @Nullable String path;
    private @Nullable String query;
    private boolean queryEdited;

    ShadowRequest(RequestHead real) {
        super(real);
    }

    @Override
    public String method() {
        String own = method;
        return own == null ? real().method() : own;
    }

    @Override
    public void method(String other) {
        GivenMethod.check(other, real().receivedMethod().equals("CONNECT"), path());
        method = other;
        edit();
    }

    @Override
    public String receivedMethod() {
        return real().receivedMethod();
    }

    @Override
    public String scheme() {
        return real().scheme();
    }

    @Override
    public String authority() {
        return real().authority();
    }

    @Override
    public String path() {
        String own = path;
        return own == null ? real().path() : own;
    }

    @Override
    public String receivedPath() {
        return real().receivedPath();
    }

    @Override
    public @Nullable String receivedQuery() {
        return real().receivedQuery();
    }

    @Override
    public @Nullable String query() {
        return queryEdited ? query : real().query();
    }

    @Override
    public boolean hasBody() {
        return real().hasBody();
    }

    @Override
    public long contentLength() {
        return real().contentLength();
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        String own = path;
        if (own == null) {
            return real().pathStartsWith(prefix);
        }
        byte[] bytes = own.getBytes(StandardCharsets.US_ASCII);
        return prefix.isPrefixOf(bytes, 0, bytes.length);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        String rewritten = replacement + path().substring(prefixBytes);
        path = rewritten.startsWith("/") ? rewritten : "/" + rewritten;
        edit();
    }

    @Override
    public void path(String other) {
        boolean valid = other.startsWith("/") && TargetText.isPath(other);
        if (!valid) {
            throw new IllegalArgumentException("\"" + other + "\" (expected: \"/\", then characters of a path)");
        }
        path = other;
        edit();
    }

    @Override
    public void query(@Nullable String other) {
        if (other != null && !TargetText.isQuery(other)) {
            throw new IllegalArgumentException("\"" + other + "\" (expected: characters of a query)");
        }
        query = other;
        queryEdited = true;
        edit();
    }
}
