package net.oooops.sigma.plugin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/** An exchange over https that allocates nothing: it counts what a plugin asks of it and changes nothing. */
final class CountingExchange implements Exchange, RequestHead, ResponseHead {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final IpAddress LOOPBACK = IpAddress.of(new byte[] {127, 0, 0, 1});

    private final String path;
    private final byte[] pathBytes;
    private long calls;
    private @Nullable FieldName field;
    private @Nullable String value;
    private @Nullable Consumer consumer;
    private final IdentityHashMap<Key<?>, @Nullable Object> left = new IdentityHashMap<>();

    CountingExchange(String path) {
        this.path = path;
        this.pathBytes = path.getBytes(StandardCharsets.US_ASCII);
    }

    /** The request has that field, and no other. */
    CountingExchange withField(String name, String value) {
        field = FieldName.of(name);
        this.value = value;
        return this;
    }

    /** It is from that consumer. */
    CountingExchange withConsumer(Consumer found) {
        consumer = found;
        return this;
    }

    long calls() {
        return calls;
    }

    @Override
    public RequestHead request() {
        return this;
    }

    @Override
    public ResponseHead response() {
        return this;
    }

    @Override
    public long contentLength() {
        calls++;
        return 100;
    }

    @Override
    public boolean hasResponse() {
        return true;
    }

    @Override
    public boolean isAnsweredByNode() {
        calls++;
        return true;
    }

    @Override
    public boolean pathStartsWith(Ascii prefix) {
        calls++;
        return prefix.isPrefixOf(pathBytes, 0, pathBytes.length);
    }

    @Override
    public void replacePathPrefix(int prefixBytes, Ascii replacement) {
        calls++;
    }

    @Override
    public void set(Field field) {
        calls++;
    }

    @Override
    public void add(Field field) {
        calls++;
    }

    @Override
    public void remove(FieldName name) {
        calls++;
    }

    @Override
    public String method() {
        calls++;
        return "GET";
    }

    @Override
    public void method(String method) {
        throw new UnsupportedOperationException("method");
    }

    @Override
    public String receivedMethod() {
        return method();
    }

    @Override
    public String receivedPath() {
        return path();
    }

    @Override
    public @Nullable String receivedQuery() {
        return query();
    }

    @Override
    public String scheme() {
        calls++;
        return "https";
    }

    @Override
    public String authority() {
        return "a";
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public void path(String path) {
        calls++;
    }

    @Override
    public @Nullable String query() {
        calls++;
        return null;
    }

    @Override
    public boolean hasBody() {
        calls++;
        return false;
    }

    @Override
    public void query(@Nullable String query) {
        calls++;
    }

    @Override
    public int status() {
        calls++;
        return 200;
    }

    @Override
    public void status(int status) {
        calls++;
    }

    @Override
    public @Nullable String value(FieldName name) {
        calls++;
        return field != null && name.equals(field) ? value : null;
    }

    @Override
    public List<String> values(FieldName name) {
        calls++;
        return List.of();
    }

    @Override
    public boolean has(FieldName name) {
        calls++;
        return field != null && name.equals(field);
    }

    @Override
    public void removeAlike(FieldName name) {
        calls++;
    }

    @Override
    public List<String> names() {
        return List.of();
    }

    @Override
    public ByteBuffer requestBody() {
        return NOTHING;
    }

    @Override
    public void requestBody(ByteBuffer body) {
        calls++;
    }

    @Override
    public ByteBuffer responseBody() {
        return NOTHING;
    }

    @Override
    public void responseBody(ByteBuffer body) {
        calls++;
    }

    @Override
    public void transformRequestBody(BodyTransform transform) {
        calls++;
    }

    @Override
    public void transformResponseBody(BodyTransform transform) {
        calls++;
    }

    @Override
    public void toGrpc() {
        calls++;
    }

    @Override
    public String peerAddress() {
        return "127.0.0.1";
    }

    @Override
    public String clientAddress() {
        return "127.0.0.1";
    }

    @Override
    public IpAddress clientIp() {
        calls++;
        return LOOPBACK;
    }

    @Override
    public @Nullable Tls tls() {
        return null;
    }

    @Override
    public @Nullable String parameter(String name) {
        return null;
    }

    @Override
    public @Nullable Consumer consumer() {
        return consumer;
    }

    @Override
    public void consumer(Consumer consumer) {
        calls++;
    }

    @Override
    public <T> @Nullable T value(Key<T> key) {
        return key.type().cast(left.get(key));
    }

    @Override
    public <T> void value(Key<T> key, @Nullable T value) {
        calls++;
        left.put(key, value);
    }

    @Override
    public boolean target(String proxyPassId) {
        calls++;
        return true;
    }

    @Override
    public CompletionStage<Response> call(String proxyPassId, Callout callout) {
        throw new UnsupportedOperationException("call");
    }

    @Override
    public boolean isRequestPassed() {
        return true;
    }

    @Override
    public String routeId() {
        calls++;
        return "route";
    }

    @Override
    public String routerId() {
        calls++;
        return "router";
    }

    @Override
    public String upstreamId() {
        return "upstream";
    }

    @Override
    public @Nullable Fault fault() {
        return null;
    }

    @Override
    public @Nullable Object attachment(Plugin plugin) {
        return null;
    }

    @Override
    public void attach(Plugin plugin, @Nullable Object value) {
        calls++;
    }
}
