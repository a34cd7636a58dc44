package net.oooops.sigma.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/**
 * An exchange without a gateway, to be given to plugins by a {@link PluginHarness} or by hand. It keeps to the contract of
 * {@link Exchange}, errors included. For one thread at a time.
 */
public final class TestExchange implements Exchange {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final TestRequestHead request;
    private final IdentityHashMap<Plugin, Object> attachments = new IdentityHashMap<>();
    private @Nullable TestResponseHead response;
    private boolean byNode;
    private ByteBuffer sent = NOTHING;
    private ByteBuffer answered = NOTHING;
    private BodyNeed ofRequest = BodyNeed.NONE;
    private BodyNeed ofResponse = BodyNeed.NONE;
    private final List<BodyTransform> ofRequestBody = new ArrayList<>();
    private final List<BodyTransform> ofResponseBody = new ArrayList<>();
    private boolean grpc;
    private boolean inRequest;
    private boolean inResponse;
    private String peerAddress = "127.0.0.1";
    private String clientAddress = "127.0.0.1";
    private @Nullable Fault fault;
    private @Nullable Tls tls;
    private @Nullable Consumer consumer;
    private @Nullable String sentTo;
    private String routerId = "test-router";
    private String routeId = "test-route";
    private final Set<String> off = new HashSet<>();
    private final Map<String, String> parameters = new HashMap<>();
    private final Map<Key<?>, Object> shared = new HashMap<>();
    private final Map<String, CompletionStage<Response>> answers = new HashMap<>();
    private final List<Callout> called = new ArrayList<>();
    private boolean requestComplete = true;

    private TestExchange(TestRequestHead request) {
        this.request = request;
    }

    /**
     * An exchange with this request.
     *
     * @param target path and, after {@code ?}, query
     * @param fields each {@code Name: value}
     */
    public static TestExchange of(String method, String target, String... fields) {
        return new TestExchange(new TestRequestHead(method, target, fields));
    }

    /** That Route of that Router takes it; {@code test-route} of {@code test-router} where this isn't called. */
    public TestExchange withRoute(String router, String route) {
        routerId = router;
        routeId = route;
        return this;
    }

    /** The client came with this scheme; {@code http} where this isn't called. */
    public TestExchange withScheme(String scheme) {
        request.scheme(scheme);
        return this;
    }

    /** The client came from this address, by way of that peer; both 127.0.0.1 where this isn't called. */
    public TestExchange withAddresses(String client, String peer) {
        clientAddress = client;
        peerAddress = peer;
        return this;
    }

    /** The request has this body, in UTF-8. */
    public TestExchange withBody(String body) {
        sent = copy(StandardCharsets.UTF_8.encode(body));
        request.body(sent.remaining());
        return this;
    }

    /** The request's body doesn't come to its end, or to a node. */
    public TestExchange withBodyCut() {
        requestComplete = false;
        return this;
    }

    @Override
    public boolean isRequestPassed() {
        return requestComplete;
    }

    /** The exchange failed. */
    public TestExchange withFault(Fault fault) {
        this.fault = fault;
        return this;
    }

    /** What the server, or the gateway in its place, answers. */
    void answer(int status, String body, String... fields) {
        response = new TestResponseHead(status, fields);
        byNode = fault == null;
        answered = copy(StandardCharsets.UTF_8.encode(body));
    }

    void answer(Response answer) throws Exception {
        String[] fields = answer.fields().stream().map(Field::toString).toArray(String[]::new);
        StreamBody stream = answer.stream();
        byte[] body = new byte[answer.bodyBytes()];
        answer.copyBodyTo(body, 0);
        if (stream != null) {
            body = GivenBody.of(stream, !request.receivedMethod().equals("HEAD"));
        }
        response = new TestResponseHead(answer.status(), fields);
        byNode = false;
        answered = ByteBuffer.wrap(body).asReadOnlyBuffer();
    }

    /** Shows bodies as a chain shows them to a plugin with these needs, in {@code onRequest}. */
    void showRequestTo(Needs needs) {
        show(needs);
        inRequest = true;
        checkFits("request", sent, ofRequest, 413);
    }

    /** The same in {@code onResponse}. */
    void showResponseTo(Needs needs) {
        show(needs);
        inResponse = true;
        checkFits("response", answered, ofResponse, 502);
    }

    /** The step is over: bodies aren't replaced any more. */
    void shown() {
        inRequest = false;
        inResponse = false;
    }

    private void show(Needs needs) {
        ofRequest = needs.requestBody();
        ofResponse = needs.responseBody();
    }

    private static void checkFits(String side, ByteBuffer body, BodyNeed need, int status) {
        if (need.kind() == BodyNeed.Kind.WHOLE && body.remaining() > need.bytesMax()) {
            throw new IllegalStateException(side + " body of " + body.remaining() + " bytes (expected: <= "
                    + need.bytesMax() + "; the gateway answers " + status + ")");
        }
    }

    /** The request's body after the edits, as text, whatever the plugin needs. */
    public String requestText() {
        return StandardCharsets.UTF_8.decode(sent.duplicate()).toString();
    }

    /** The response's body after the edits, as text, whatever the plugin needs. */
    public String responseText() {
        return StandardCharsets.UTF_8.decode(answered.duplicate()).toString();
    }

    @Override
    public TestRequestHead request() {
        return request;
    }

    @Override
    public TestResponseHead response() {
        if (response == null) {
            throw new IllegalStateException("no response yet (expected: after an answer)");
        }
        return response;
    }

    @Override
    public boolean hasResponse() {
        return response != null;
    }

    /** What the server answers is a node's, unless the exchange failed; what a plugin does isn't. */
    @Override
    public boolean isAnsweredByNode() {
        return byNode;
    }

    @Override
    public ByteBuffer requestBody() {
        return ofRequest.kind() == BodyNeed.Kind.WHOLE ? sent.duplicate() : NOTHING;
    }

    @Override
    public void requestBody(ByteBuffer body) {
        checkReplaced("request", ofRequest, inRequest);
        sent = copy(body);
        request.body(sent.remaining());
    }

    @Override
    public ByteBuffer responseBody() {
        return ofResponse.kind() == BodyNeed.Kind.WHOLE ? answered.duplicate() : NOTHING;
    }

    @Override
    public void responseBody(ByteBuffer body) {
        checkReplaced("response", ofResponse, inResponse);
        int status = response().status();
        boolean endsWithItsHead = request.receivedMethod().equals("HEAD") || status == 204 || status == 304;
        answered = endsWithItsHead ? NOTHING : copy(body);
    }

    @Override
    public void transformRequestBody(BodyTransform transform) {
        checkIn(inRequest, "onRequest");
        ofRequestBody.add(transform);
        request.unmeasured();
    }

    @Override
    public void transformResponseBody(BodyTransform transform) {
        checkIn(inResponse, "onResponse");
        ofResponseBody.add(transform);
    }

    @Override
    public void toGrpc() {
        checkIn(inRequest, "onRequest");
        grpc = true;
    }

    private static void checkIn(boolean inItsStep, String step) {
        if (!inItsStep) {
            throw new IllegalStateException("asked for in another step (expected: in " + step + ")");
        }
    }

    /** Whether a plugin made it a call of gRPC. */
    public boolean isGrpc() {
        return grpc;
    }

    /**
     * Has a request's body pass the transforms that plugins gave, as a gateway would: each part by itself, then the end, then they are closed.
     *
     * @return what goes to the node
     * @throws Exception as a transform threw it
     */
    public byte[] passRequest(byte[]... parts) throws Exception {
        return TransformedBody.pass(ofRequestBody, new TestTrailers(), parts);
    }

    /** The same of the response's body, and of the trailers behind it, which are edited. */
    public byte[] passResponse(TestTrailers trailers, byte[]... parts) throws Exception {
        return TransformedBody.pass(ofResponseBody, trailers, parts);
    }

    @Override
    public String peerAddress() {
        return peerAddress;
    }

    @Override
    public String clientAddress() {
        return clientAddress;
    }

    /** The Route's path has that parameter. */
    public TestExchange withParameter(String name, String value) {
        parameters.put(name, value);
        return this;
    }

    /** The client's connection is encrypted. */
    public TestExchange withTls(Tls agreed) {
        tls = agreed;
        return withScheme("https");
    }

    /** A plugin before has found out who the request is from. */
    public TestExchange withConsumer(Consumer found) {
        consumer = found;
        return this;
    }

    @Override
    public IpAddress clientIp() {
        IpAddress address = IpAddress.parse(clientAddress);
        if (address == null) {
            throw new IllegalStateException(clientAddress + " (expected: an IP address)");
        }
        return address;
    }

    @Override
    public @Nullable Tls tls() {
        return tls;
    }

    @Override
    public @Nullable String parameter(String name) {
        return parameters.get(name);
    }

    @Override
    public @Nullable Consumer consumer() {
        return consumer;
    }

    @Override
    public void consumer(Consumer found) {
        checkIn(inRequest, "onRequest");
        consumer = found;
        request.set(found.idField());
        found.fields().forEach(request::set);
    }

    @Override
    public <T> @Nullable T value(Key<T> key) {
        return key.type().cast(shared.get(key));
    }

    @Override
    public <T> void value(Key<T> key, @Nullable T value) {
        if (value == null) {
            shared.remove(key);
        } else {
            shared.put(key, value);
        }
    }

    @Override
    public boolean target(String proxyPassId) {
        checkIn(inRequest, "onRequest");
        boolean there = !off.contains(proxyPassId);
        sentTo = there ? proxyPassId : sentTo;
        return there;
    }

    /** Answered as {@link #withAnswer} says, else not at all. */
    @Override
    public CompletionStage<Response> call(String proxyPassId, Callout callout) {
        called.add(callout);
        CompletionStage<Response> answer = answers.get(proxyPassId);
        return answer == null
                ? CompletableFuture.failedFuture(new CalloutException(Fault.NO_HEALTHY_NODE, proxyPassId))
                : answer;
    }

    /** What a plugin asks of that proxy-pass gets that answer. */
    public TestExchange withAnswer(String proxyPassId, CompletionStage<Response> answer) {
        answers.put(proxyPassId, answer);
        return this;
    }

    /** What plugins have asked. */
    public List<Callout> called() {
        return List.copyOf(called);
    }

    /** That proxy-pass is switched off. */
    public TestExchange withoutTarget(String proxyPassId) {
        off.add(proxyPassId);
        return this;
    }

    /** The proxy-pass that a plugin sent it to; null where none did. */
    public @Nullable String sentTo() {
        return sentTo;
    }

    @Override
    public String routeId() {
        return routeId;
    }

    @Override
    public String routerId() {
        return routerId;
    }

    @Override
    public String upstreamId() {
        return "test-upstream";
    }

    @Override
    public @Nullable Fault fault() {
        return fault;
    }

    @Override
    public @Nullable Object attachment(Plugin plugin) {
        return attachments.get(plugin);
    }

    @Override
    public void attach(Plugin plugin, @Nullable Object value) {
        if (value == null) {
            attachments.remove(plugin);
        } else {
            attachments.put(plugin, value);
        }
    }

    private static void checkReplaced(String side, BodyNeed need, boolean inItsStep) {
        if (need.kind() != BodyNeed.Kind.WHOLE || !inItsStep) {
            throw new IllegalStateException(
                    "the " + side + "'s body" + (inItsStep ? " wasn't collected" : " in another step")
                            + " (expected: a need of the whole, and its own step)");
        }
    }

    private static ByteBuffer copy(ByteBuffer body) {
        ByteBuffer copy = ByteBuffer.allocate(body.remaining());
        copy.put(body.duplicate()).flip();
        return copy.asReadOnlyBuffer();
    }
}
