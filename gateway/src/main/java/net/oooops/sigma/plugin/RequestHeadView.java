package net.oooops.sigma.plugin;

import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.http.HttpRequestHead;
import org.jspecify.annotations.Nullable;

/** The head of a request as plugins see it, all but the length of its body: that isn't the head's alone to know. */
public abstract class RequestHeadView extends HeadView<HttpRequestHead> implements RequestHead {
    /** For those that say which head it is. */
    protected RequestHeadView() {}

    @Override
    public String method() {
        return head().method();
    }

    @Override
    public void method(String method) {
        head().method(method);
    }

    @Override
    public String receivedMethod() {
        return head().receivedMethod();
    }

    @Override
    public String scheme() {
        return head().scheme();
    }

    @Override
    public String authority() {
        return head().authority();
    }

    @Override
    public String path() {
        return head().path();
    }

    @Override
    public String receivedPath() {
        return head().receivedPath();
    }

    @Override
    public @Nullable String query() {
        return head().query();
    }

    @Override
    public @Nullable String receivedQuery() {
        return head().receivedQuery();
    }

    @Override
    public boolean hasBody() {
        return head().hasBody();
    }

    @Override
    public List<String> cookies(CookieName name) {
        return head().cookies(name);
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        return head().pathStartsWith(prefix);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        head().replacePathPrefix(prefixBytes, replacement);
    }

    @Override
    public void path(String path) {
        head().path(path);
    }

    @Override
    public void query(@Nullable String query) {
        head().query(query);
    }
}
