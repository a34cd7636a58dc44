package net.oooops.sigma.cli;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.api.Tls;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.plugin.PluginNotes;
import net.oooops.sigma.plugin.Shadowed;
import net.oooops.sigma.proxy.ConsumerFields;
import net.oooops.sigma.proxy.HeadQuery;
import net.oooops.sigma.proxy.Identity;
import net.oooops.sigma.proxy.Preflight;
import net.oooops.sigma.proxy.RequestValidation;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.route.Explanation;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.route.RouteTable;
import org.jspecify.annotations.Nullable;

/** A request without a connection: read, routed and shown to plugins by the same code as one that comes in. One thread. */
final class DryRun implements Exchange, PluginNotes {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final HttpRequestHead head = new HttpRequestHead();
    private final AskedHead shown = new AskedHead(head, this::bodyBytes);
    private final HeadQuery query = new HeadQuery(head);
    private final IdentityHashMap<Plugin, Object> attachments = new IdentityHashMap<>();
    private boolean preflight;
    private @Nullable RequestValidation validation;
    private ByteBuffer body = NOTHING;
    private final List<Shadowed> shadowed = new ArrayList<>();
    private @Nullable String undecided;
    private int transformsCount;
    private boolean grpc;
    private boolean secure;
    private AskedClient client = AskedClient.HERE;
    private Tls tls = client.handshake().forPlugins();
    private boolean bodyReplaced;
    private final Map<Key<?>, Object> shared = new HashMap<>();
    private @Nullable Consumer consumer;
    private @Nullable String target;
    private RoutePlan plan;

    /** @param unrouted the plan until a Route is found */
    DryRun(RoutePlan unrouted) {
        this.plan = unrouted;
    }

    /** Says whom it comes from. Before it is read. */
    void from(AskedClient asked) {
        client = asked;
        tls = asked.handshake().forPlugins();
    }

    /** Whom plugins are taken to find; null where they find by themselves. */
    @Nullable Consumer assumedConsumer() {
        return client.consumer();
    }

    /** Says of whom plugins are taken to find what else is known. */
    void assume(Consumer known) {
        client = client.with(known);
    }

    /** The length of the body; -1 where it isn't known. */
    private long bodyBytes() {
        if (transformsCount > 0) {
            return -1;
        }
        return bodyReplaced ? body.remaining() : head.hasBody() ? head.contentLength() : 0;
    }

    /**
     * Reads a request.
     *
     * @param takesConnect whether a Route takes CONNECT
     * @return what the gateway answers at once, such as {@code 400: Host or authority malformed}; null where the request can be routed
     */
    @Nullable String read(AskedRequest asked, Limits limits, boolean takesConnect) {
        Refusal refusal = WholeHead.readRequest(asked.head(), head, limits);
        if (refusal != null) {
            return said(refusal.fault(), refusal.text());
        }
        head.secure(asked.secure());
        secure = asked.secure();
        RequestValidation judge =
                new RequestValidation(new PathNormalizer(), Identity.random(), limits.passesMax(), takesConnect);
        validation = judge;
        RequestValidation.Result result = judge.validate(head);
        query.host(judge.hostEnd());
        Fault fault = result.fault();
        return fault == null ? null : said(fault, result.text());
    }

    private static String said(Fault fault, String why) {
        return fault.status() + ": " + why;
    }

    /** Why what a plugin made of the path is refused; null where it isn't, or none made anything. */
    @Nullable PathFault rewriteFault() {
        return validation == null ? null : validation.validateRewritten(head);
    }

    /** Finds its Route. */
    Explanation<RoutePlan> route(RouteTable<RoutePlan> routes) {
        head.target().routed();
        Explanation<RoutePlan> found = routes.explain(query);
        if (found.winner() != null) {
            plan = found.winner().target();
        } else if (!found.allow().isEmpty() && Preflight.isOne(head)) {
            query.asPreflight(true);
            Explanation<RoutePlan> asked = routes.explain(query);
            query.asPreflight(false);
            preflight = asked.winner() != null;
            plan = asked.winner() == null ? plan : asked.winner().target();
        }
        if (!plan.forwarding().trusts(clientIp())) {
            head.hideConsumer();
        }
        return found;
    }

    /** Whether no Route takes it, but that of the method a CORS preflight asks for shows it to its plugins. */
    boolean isPreflight() {
        return preflight;
    }

    /** The plan of its Route, or that of requests without one. */
    RoutePlan plan() {
        return plan;
    }

    /** Whether it is a CONNECT. */
    boolean isConnect() {
        return head.isAuthorityForm();
    }

    /** Whether it asks for another protocol on its connection, in the form in which it may get it. */
    boolean asksForProtocol() {
        return head.asksForProtocol();
    }

    /** The protocol that its node is asked to switch to; null where none of those that it asks for is allowed. */
    @Nullable String protocol() {
        boolean chosen = head.chooseProtocol(plan.tunnel().protocols());
        return chosen ? head.protocol.toString() : null;
    }

    // Told of conditions and shadows

    @Override
    public void undecided(String plugin, Throwable why) {
        undecided = String.valueOf(why.getMessage());
    }

    @Override
    public void shadowed(Shadowed what) {
        shadowed.add(what);
    }

    @Override
    public boolean hasWholeRequestBody() {
        return true;
    }

    @Override
    public boolean hasWholeResponseBody() {
        return false;
    }

    /** What plugins in shadow would have done since this was asked last. */
    List<Shadowed> takeShadowed() {
        List<Shadowed> taken = List.copyOf(shadowed);
        shadowed.clear();
        return taken;
    }

    /** Why it can't be said whether the last condition holds that was asked for; null where it could be since this was asked last. */
    @Nullable String takeUndecided() {
        String taken = undecided;
        undecided = null;
        return taken;
    }

    // Asked by plugins

    @Override
    public RequestHead request() {
        return shown;
    }

    @Override
    public ResponseHead response() {
        throw new IllegalStateException("no response (expected: in onResponse or onEnd)");
    }

    @Override
    public boolean hasResponse() {
        return false;
    }

    @Override
    public boolean isRequestPassed() {
        return true;
    }

    @Override
    public boolean isAnsweredByNode() {
        return false;
    }

    /** Empty until a plugin replaces it: of a request in question there is only the head. */
    @Override
    public ByteBuffer requestBody() {
        return body.duplicate();
    }

    @Override
    public void requestBody(ByteBuffer content) {
        if (plan.chain().wholeRequestBodyBytesMax() == 0) {
            throw new IllegalStateException(
                    "request body (expected: collected, as a plugin on the way needs the whole)");
        }
        body = ByteBuffer.allocate(content.remaining())
                .put(content.duplicate())
                .flip()
                .asReadOnlyBuffer();
        bodyReplaced = true;
    }

    @Override
    public ByteBuffer responseBody() {
        return NOTHING.duplicate();
    }

    @Override
    public void responseBody(ByteBuffer body) {
        throw new IllegalStateException("no response (expected: in onResponse)");
    }

    @Override
    public void transformRequestBody(BodyTransform transform) {
        transform.close();
        transformsCount++;
    }

    @Override
    public void transformResponseBody(BodyTransform transform) {
        throw new IllegalStateException("no response (expected: in onResponse)");
    }

    @Override
    public void toGrpc() {
        grpc = true;
    }

    /** How many transforms its body passes. */
    int transformsCount() {
        return transformsCount;
    }

    /** Whether a plugin made it a call of gRPC. */
    boolean isGrpc() {
        return grpc;
    }

    @Override
    public String peerAddress() {
        return client.address().text();
    }

    @Override
    public String clientAddress() {
        return client.address().text();
    }

    @Override
    public IpAddress clientIp() {
        return client.address();
    }

    @Override
    public @Nullable Tls tls() {
        return secure ? tls : null;
    }

    @Override
    public @Nullable String parameter(String name) {
        return plan.parameters().value(name, head.target());
    }

    @Override
    public @Nullable Consumer consumer() {
        return consumer;
    }

    @Override
    public void consumer(Consumer found) {
        ConsumerFields.tell(head, consumer, found);
        consumer = found;
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
        boolean there = plan.target(proxyPassId) != null;
        target = there ? proxyPassId : target;
        return there;
    }

    /** Nobody is asked here. */
    @Override
    public CompletionStage<Response> call(String proxyPassId, Callout callout) {
        return new CompletableFuture<>();
    }

    /** The proxy-pass that a plugin sends it to; null: that of the Route. */
    @Nullable String target() {
        return target;
    }

    @Override
    public String routeId() {
        return plan.routeId();
    }

    @Override
    public String routerId() {
        return plan.routerId();
    }

    @Override
    public String upstreamId() {
        return plan.upstreamId();
    }

    @Override
    public @Nullable Fault fault() {
        return null;
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
}
