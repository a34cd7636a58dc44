package net.oooops.sigma.api;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response, as a plugin sees it. Valid until {@link Plugin#onEnd} returns: the object is used again
 * for another exchange afterwards, so nothing of it may be kept. Where the exchange doesn't wait for a plugin any longer, since
 * {@code timeouts.plugin} has passed or the client went away, all that this plugin holds of it, heads included, throws {@link
 * IllegalStateException} from then on.
 *
 * <p>Called on the exchange's event loop, or from the virtual thread of a blocking plugin while the exchange is parked for
 * it.
 */
public interface Exchange {
    /**
     * Whether nothing that the plugin decides has an effect here, as its {@code mode} is {@code shadow}: one that acts elsewhere, too, leaves that then. What
     * it does to the exchange is undone without its help.
     */
    default boolean isShadow() {
        return false;
    }

    /**
     * Tells what the plugin would have done beside its edits and its outcome, where it {@linkplain #isShadow is in shadow} and has left it: that is
     * counted, and stands in the access log. Elsewhere it does nothing.
     *
     * @param what a word or several in kebab-case, such as {@code delay}; one of few, never what a client sent
     */
    default void shadowed(String what) {}

    /**
     * The same of an outcome that it would have come to later, as when more of a body has come than may; one that answers or refuses.
     *
     * @param outcome told with its status and reason, where it has one
     */
    default void shadowed(Outcome outcome) {}

    /** The request's head. */
    RequestHead request();

    /**
     * The response's head.
     *
     * @throws IllegalStateException before there is one; see {@link #hasResponse}
     */
    ResponseHead response();

    /** Whether there is a response head yet. */
    boolean hasResponse();

    /**
     * Whether the response is a node's: not one of Sigma's own or of a plugin. False before there is one. A node's stays one whatever plugins change of it.
     */
    boolean isAnsweredByNode();

    /** Whether all of the request has gone to a node, its body included: {@link Plugin#onRequestChunk} has seen the whole of it. */
    boolean isRequestPassed();

    /** The whole request body, read-only, where the plugin needs {@link BodyNeed.Kind#WHOLE}; else, or where there is none, empty. */
    ByteBuffer requestBody();

    /**
     * Replaces the request's body, in {@link Plugin#onRequest} of a plugin that needs the whole; a request without a body gets one. The bytes
     * are copied.
     *
     * @throws IllegalStateException where the whole body wasn't collected
     */
    void requestBody(ByteBuffer body);

    /** The whole response body, read-only, where the plugin needs {@link BodyNeed.Kind#WHOLE}; else, or where there is none, empty. */
    ByteBuffer responseBody();

    /**
     * Replaces the response's body, in {@link Plugin#onResponse} of a plugin that needs the whole. The bytes are copied. A response that ends
     * with its head, as those to HEAD and those with status 204 and 304 do, goes without them.
     *
     * @throws IllegalStateException where the whole body wasn't collected
     */
    void responseBody(ByteBuffer body);

    /**
     * Has the request's body pass that transform on its way to the node, in {@link Plugin#onRequest}. It begins when all plugins have let the
     * request pass; a body that a plugin collects is collected before, within {@link BodyTransform#bound}. Without one nothing is paid for it.
     *
     * <p>{@link Plugin#onRequestChunk} of all plugins sees what goes to the node.
     *
     * @throws IllegalStateException at another time
     */
    void transformRequestBody(BodyTransform transform);

    /**
     * Has the response's body pass that transform on its way to the client, in {@link Plugin#onResponse}; one of Sigma's own or of a plugin's
     * passes it as well. It begins when all plugins have let the response pass. A response that ends with its head, as those to HEAD and those
     * with status 204 and 304 do, passes none. Where a plugin answers with another response instead, transforms that were given before are
     * forgotten.
     *
     * <p>{@link Plugin#onResponseChunk} of all plugins sees what goes to the client.
     *
     * @throws IllegalStateException at another time
     */
    void transformResponseBody(BodyTransform transform);

    /**
     * Makes the exchange a call of gRPC for all that follows, in {@link Plugin#onRequest}, whichever version and fields the request came with:
     * {@code grpc-timeout} bounds it, both sides may be quiet for {@code timeout.tunnel-idle} of the proxy-pass that it goes to, nodes of HTTP/2 are told {@code TE: trailers},
     * and errors of Sigma's own and of plugins become responses with {@code grpc-status} in their head. One that is a call already stays one.
     *
     * @throws IllegalStateException at another time
     */
    void toGrpc();

    /** The IP address of the connection's other end. */
    String peerAddress();

    /** The IP address of the client: the peer's, or the one that trusted proxies name in front of it. */
    String clientAddress();

    /** The same address as a number, which costs nothing where no trusted proxy stands in front. */
    IpAddress clientIp();

    /** What was agreed on with the client where its connection is encrypted, else null. Allocates nothing. */
    @Nullable Tls tls();

    /**
     * What stands in the place of {@code :name} in the Route's path, percent-encoded as it is forwarded; null where that path has no such
     * parameter. It is of the path by which the Route was found, whatever became of it since. Allocates.
     */
    @Nullable String parameter(String name);

    /** Who the request is from, where a plugin before has found out; else null. */
    @Nullable Consumer consumer();

    /**
     * Says who the request is from, in {@link Plugin#onRequest}: in the place of whom a plugin before has said. Nodes get the consumer's fields,
     * and the access log its id. Allocates nothing.
     *
     * @throws IllegalStateException at another time
     */
    void consumer(Consumer consumer);

    /** What a plugin has left under that key; null where none has. Allocates nothing. */
    <T> @Nullable T value(Key<T> key);

    /** Leaves a value for the plugins that follow, in the place of the one before; null: none. */
    <T> void value(Key<T> key, @Nullable T value);

    /**
     * Sends the request to the nodes of that proxy-pass in the place of the Route's, in {@link Plugin#onRequest}: with its upstream, timeouts, retries
     * and all else but plugins. The last one counts.
     *
     * @param proxyPassId one of {@link Plugin#targets}
     * @return whether it goes there; false where that proxy-pass is switched off, or is no target of a plugin on the way: nothing has changed then
     * @throws IllegalStateException at another time
     */
    boolean target(String proxyPassId);

    /**
     * Sends a request of the plugin's own to the nodes of that proxy-pass, whose plugins it doesn't pass. The answer is given on the exchange's event loop;
     * where there is none, the stage fails with a {@link CalloutException}. While it is under way the plugin suspends, as it must not block, or lets the
     * exchange go on. A callout that isn't {@linkplain Callout#detached detached} ends with the exchange. The Host field is the exchange's, which is what a
     * node sees where the proxy-pass says so; forwarding fields say who the exchange's client is. Pools, their queues, and timeouts of the upstream bound
     * it as they bound requests of clients.
     *
     * @param proxyPassId one of {@link Plugin#targets}
     */
    CompletionStage<Response> call(String proxyPassId, Callout callout);

    /** The id of the Route that matched, which is unique within its Router. */
    String routeId();

    /** The id of the Router that has that Route. */
    String routerId();

    /** The id of the Upstream that the request goes to. */
    String upstreamId();

    /** Why the exchange failed, or null while it didn't. */
    @Nullable Fault fault();

    /** What this plugin attached to the exchange, or null. */
    @Nullable Object attachment(Plugin plugin);

    /** Keeps a value of this plugin's for the rest of the exchange, in the place of the one before. */
    void attach(Plugin plugin, @Nullable Object value);
}
