package net.oooops.sigma.cli;

import java.util.List;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.http.HttpRequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The head of a {@link DryRun} as plugins see it: all is as it is written there, but for the length of the body, which isn't the head's alone to know. One
 * thread.
 *
 * @param length of the body as {@link RequestHead#contentLength} has it
 */
record AskedHead(HttpRequestHead head, LongSupplier length) implements RequestHead {
    @Override
    public long contentLength() {
        return length.getAsLong();
    }

    @Override
    public @Nullable String value(FieldName name) {
        return head.value(name);
    }

    @Override
    public List<String> values(FieldName name) {
        return head.values(name);
    }

    @Override
    public boolean has(FieldName name) {
        return head.has(name);
    }

    @Override
    public List<String> names() {
        return head.names();
    }

    @Override
    public void set(Field field) {
        head.set(field);
    }

    @Override
    public void add(Field field) {
        head.add(field);
    }

    @Override
    public void remove(FieldName name) {
        head.remove(name);
    }

    @Override
    public void removeAlike(FieldName name) {
        head.removeAlike(name);
    }

    @Override
    public String method() {
        return head.method();
    }

    @Override
    public void method(String method) {
        head.method(method);
    }

    @Override
    public String receivedMethod() {
        return head.receivedMethod();
    }

    @Override
    public String receivedPath() {
        return head.receivedPath();
    }

    @Override
    public String scheme() {
        return head.scheme();
    }

    @Override
    public String authority() {
        return head.authority();
    }

    @Override
    public String path() {
        return head.path();
    }

    @Override
    public @Nullable String query() {
        return head.query();
    }

    @Override
    public boolean hasBody() {
        return head.hasBody();
    }

    @Override
    public List<String> cookies(CookieName name) {
        return head.cookies(name);
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        return head.pathStartsWith(prefix);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        head.replacePathPrefix(prefixBytes, replacement);
    }

    @Override
    public void path(String path) {
        head.path(path);
    }

    @Override
    public void query(@Nullable String query) {
        head.query(query);
    }
}
