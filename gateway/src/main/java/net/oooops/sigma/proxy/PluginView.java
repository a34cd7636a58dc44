package net.oooops.sigma.proxy;

import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
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
import net.oooops.sigma.plugin.PluginNotes;
import net.oooops.sigma.plugin.Shadowed;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * An exchange as plugins see it: all that they are given of it. When the exchange goes on without one of them, which may still be
 * running elsewhere, that one's view is revoked, and nothing can be read or written through it any more.
 *
 * <p>Made with the first plugin that an exchange meets, and used for all of them and all that the exchange is used again for. Called
 * on the exchange's event loop, or by the plugin that it is parked for.
 */
final class PluginView implements Exchange, PluginNotes {
    private final HttpExchange x;
    /** That of the exchange until this is revoked: who is late holds on to the one that was given up, whenever it looked if it may. */
    private ResponseSide side;

    private final RequestView request;
    private ResponseView response;
    private volatile boolean revoked;

    PluginView(HttpExchange x) {
        this.x = x;
        this.side = x.response;
        this.request = new RequestView(this, x.request.head);
        this.response = new ResponseView(this, side.head);
    }

    /** The exchange goes on without the plugin that holds this. */
    void revoke() {
        revoked = true;
    }

    /** The exchange's response is that one from now on. While no plugin looks at either. */
    void show(ResponseSide other) {
        side = other;
        response = new ResponseView(this, other.head);
    }

    /** @throws IllegalStateException once it is revoked */
    void check() {
        if (revoked) {
            throw new IllegalStateException(
                    "the exchange went on without this plugin (expected: used before timeouts.plugin, and while the client is there)");
        }
    }

    HttpExchange exchange() {
        check();
        return x;
    }

    @Override
    public RequestHead request() {
        check();
        return request;
    }

    @Override
    public ResponseHead response() {
        check();
        if (!side.isPresent()) {
            throw new IllegalStateException("no response yet (expected: in onResponse or onEnd)");
        }
        return response;
    }

    @Override
    public boolean hasResponse() {
        check();
        return side.isPresent();
    }

    @Override
    public boolean isAnsweredByNode() {
        check();
        return side.isPresent() && !side.isOwn();
    }

    @Override
    public boolean isRequestPassed() {
        return exchange().request.isPassed();
    }

    @Override
    public ByteBuffer requestBody() {
        return exchange().request.body.gathered();
    }

    @Override
    public void requestBody(ByteBuffer body) {
        BodyQueue queue = exchange().request.body.queue;
        if (!queue.isGathered() || x.stage != Stage.REQUEST_PLUGINS) {
            throw new IllegalStateException("request body at " + x.stage + " (expected: collected, in onRequest)");
        }
        queue.replace(body);
    }

    /** The length of the request's body, or -1 where nobody knows it. */
    long requestBytes() {
        RequestSide sent = exchange().request;
        if (sent.transforms != null) {
            return -1;
        }
        if (sent.body.queue.isGathered()) {
            return sent.body.queue.bytes();
        }
        return sent.head.hasBody() ? sent.head.contentLength() : 0;
    }

    @Override
    public ByteBuffer responseBody() {
        check();
        return side.gatheredBody();
    }

    @Override
    public void responseBody(ByteBuffer body) {
        check();
        boolean mayReplace = x.stage == Stage.RESPONSE_PLUGINS || side.ownBody() != null;
        if (!mayReplace || !side.replaceBody(body)) {
            throw new IllegalStateException("response body at " + x.stage + " (expected: collected, in onResponse)");
        }
    }

    @Override
    public void transformRequestBody(BodyTransform transform) {
        Transforms given = exchangeIn(Stage.REQUEST_PLUGINS, "onRequest").request.transforms;
        if (given == null) {
            given = new Transforms(x.proxy.plan.listener().limits().bufferedBodyBytesMax());
            x.request.transforms = given;
        }
        given.add(transform, x.cursor.reached());
    }

    @Override
    public void transformResponseBody(BodyTransform transform) {
        HttpExchange of = exchangeIn(Stage.RESPONSE_PLUGINS, "onResponse");
        Transforms given = side.transforms;
        if (given == null) {
            given = new Transforms(of.proxy.plan.listener().limits().bufferedBodyBytesMax());
            side.transforms = given;
        }
        given.add(transform, of.plan.chain().response().position(of.cursor.responseIndex() - 1));
    }

    @Override
    public void toGrpc() {
        HttpExchange of = exchangeIn(Stage.REQUEST_PLUGINS, "onRequest");
        of.request.head.grpc.make();
        if (!of.cursor.isParked()) {
            of.proxy.plugins.toGrpc(of);
        }
    }

    /** @throws IllegalStateException where plugins don't see the request now */
    void requireRequestStage() {
        exchangeIn(Stage.REQUEST_PLUGINS, "onRequest");
    }

    private HttpExchange exchangeIn(int stage, String expected) {
        HttpExchange of = exchange();
        if (of.stage != stage) {
            throw new IllegalStateException("asked for at " + of.stage + " (expected: in " + expected + ")");
        }
        return of;
    }

    @Override
    public String peerAddress() {
        return exchange().peer.text();
    }

    @Override
    public String clientAddress() {
        IpAddress client = clientIp();
        return client.equals(x.peer.address()) ? x.peer.text() : client.text();
    }

    @Override
    public IpAddress clientIp() {
        return exchange().plan.forwarding().clientIp(x.request.head, x.peer);
    }

    @Override
    public @Nullable Tls tls() {
        TlsSession agreed = exchange().peer.tls();
        return agreed == null ? null : agreed.forPlugins();
    }

    @Override
    public @Nullable String parameter(String name) {
        return exchange().plan.parameters().value(name, x.request.head.target());
    }

    @Override
    public @Nullable Consumer consumer() {
        return exchange().cursor.consumer();
    }

    @Override
    public void consumer(Consumer consumer) {
        HttpExchange of = exchangeIn(Stage.REQUEST_PLUGINS, "onRequest");
        ConsumerFields.tell(of.request.head, of.cursor.consumer(), consumer);
        of.cursor.consumer(consumer);
    }

    @Override
    public <T> @Nullable T value(Key<T> key) {
        return key.type().cast(exchange().cursor.value(key));
    }

    @Override
    public <T> void value(Key<T> key, @Nullable T value) {
        exchange().cursor.value(key, value);
    }

    @Override
    public boolean target(String proxyPassId) {
        HttpExchange of = exchangeIn(Stage.REQUEST_PLUGINS, "onRequest");
        RoutePlan target = of.plan.target(proxyPassId);
        if (target != null) {
            of.target = target;
        }
        return target != null;
    }

    @Override
    public CompletionStage<Response> call(String proxyPassId, Callout callout) {
        HttpExchange of = exchange();
        EventLoop loop = of.proxy.plugins.eventLoop();
        if (loop.inEventLoop()) {
            return of.proxy.callouts.begin(of, of.plan.callee(proxyPassId), callout);
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        loop.execute(() -> {
            if (revoked) {
                answer.completeExceptionally(
                        new CalloutException(Fault.CLIENT_GONE, "the exchange went on without it"));
                return;
            }
            of.proxy.callouts.begin(of, of.plan.callee(proxyPassId), callout).whenComplete((response, error) -> {
                if (error == null) {
                    answer.complete(response);
                } else {
                    answer.completeExceptionally(error);
                }
            });
        });
        return answer;
    }

    @Override
    public String routeId() {
        return exchange().plan.routeId();
    }

    @Override
    public String routerId() {
        return exchange().plan.routerId();
    }

    @Override
    public String upstreamId() {
        RoutePlan target = exchange().target;
        return target == null ? x.plan.upstreamId() : target.upstreamId();
    }

    @Override
    public @Nullable Fault fault() {
        return exchange().ending.fault();
    }

    @Override
    public @Nullable Object attachment(Plugin plugin) {
        return exchange().cursor.attachment(x.plan.chain(), plugin);
    }

    @Override
    public void attach(Plugin plugin, @Nullable Object value) {
        exchange().cursor.attach(x.plan.chain(), plugin, value);
    }

    // Told of conditions and shadows

    @Override
    public void undecided(String plugin, Throwable why) {
        onLoop(() -> x.proxy.plugins.undecided(plugin, why));
    }

    @Override
    public void shadowed(Shadowed what) {
        onLoop(() -> x.proxy.plugins.shadowed(x, what));
    }

    /** What is told too late, when the exchange has gone on, is told nobody. */
    private void onLoop(Runnable told) {
        EventLoop loop = x.proxy.plugins.eventLoop();
        if (loop.inEventLoop()) {
            told.run();
        } else {
            loop.execute(() -> {
                if (!revoked) {
                    told.run();
                }
            });
        }
    }

    @Override
    public boolean hasWholeRequestBody() {
        return x.request.body.queue.isGathered();
    }

    @Override
    public boolean hasWholeResponseBody() {
        return side.ownBody() != null || side.body.queue.isGathered();
    }
}
