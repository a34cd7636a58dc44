package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.Map;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/** A request as a match sees it; path and host stand in the middle of their arrays, as they do in a head. */
final class TestRequest implements RouteQuery {
    private static final String BEFORE = "/before";
    private static final String BEHIND = "/behind";

    private final byte[] bytes;
    private final int pathEnd;
    private byte[] host = (BEFORE + BEHIND).getBytes(ISO_8859_1);
    private Ascii method = Ascii.of("GET");
    private boolean hasBody;
    private final Map<FieldName, String> headers = new HashMap<>();
    private @Nullable String query;

    private TestRequest(String path) {
        bytes = (BEFORE + path + BEHIND).getBytes(ISO_8859_1);
        pathEnd = BEFORE.length() + path.length();
    }

    static TestRequest get(String path) {
        return new TestRequest(path);
    }

    static TestRequest request(String method, String path) {
        TestRequest request = new TestRequest(path);
        request.method = Ascii.of(method);
        return request;
    }

    TestRequest host(String name) {
        host = (BEFORE + name + BEHIND).getBytes(ISO_8859_1);
        return this;
    }

    TestRequest header(String name, String value) {
        headers.put(FieldName.of(name), value);
        return this;
    }

    TestRequest query(String text) {
        query = text;
        return this;
    }

    TestRequest body() {
        hasBody = true;
        return this;
    }

    @Override
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int pathStart() {
        return BEFORE.length();
    }

    @Override
    public int pathEnd() {
        return pathEnd;
    }

    @Override
    public byte[] hostBytes() {
        return host;
    }

    @Override
    public int hostStart() {
        return BEFORE.length();
    }

    @Override
    public int hostEnd() {
        return host.length - BEHIND.length();
    }

    @Override
    public boolean methodIs(Ascii other) {
        return method.equals(other);
    }

    @Override
    public boolean hasBody() {
        return hasBody;
    }

    @Override
    public @Nullable String header(FieldName name) {
        return headers.get(name);
    }

    @Override
    public @Nullable String query() {
        return query;
    }
}
