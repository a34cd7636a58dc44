package net.oooops.sigma.flow;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.balance.Tried;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.http1.ClientExchange;
import net.oooops.sigma.http1.Http1RequestHead;
import net.oooops.sigma.http1.Http1ResponseHead;
import net.oooops.sigma.http1.Refusal;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.http1.ServerExchange;
import net.oooops.sigma.http1.Trailers;
import net.oooops.sigma.route.RouteQuery;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response: the state of it, and nothing else. What happens to it stands in {@link HttpFlow}; this
 * class hands on what the connections on both sides tell, and answers what routing, balancing and plugins ask.
 *
 * <p>Used again for another exchange after its end, so that the plain path allocates none.
 */
final class HttpExchange extends Timed implements ServerExchange, ClientExchange, Exchange, RouteQuery, Tried {
    /** How far it has come. */
    enum Stage {
        /** Its head is being read, or its body collected. */
        READING,
        /** Plugins see the request. */
        REQUEST_PLUGINS,
        /** It waits for a connection to a node. */
        ACQUIRING,
        /** Its head has gone upstream. */
        SENT,
        /** There is a response; plugins see it, or its body is collected. */
        RESPONSE_PLUGINS,
        /** The response's head has been written to the client. */
        ANSWERING,
        ENDED
    }

    final HttpFlow flow;
    final Http1RequestHead request = new Http1RequestHead();
    final Http1ResponseHead response = new Http1ResponseHead();
    /** Parts of the request's body that wait for plugins or for a node. */
    final BodyQueue requestQueue = new BodyQueue();
    /** Parts of the response's body that wait for plugins. */
    final BodyQueue responseQueue = new BodyQueue();

    ServerConnection connection;
    Peer peer;
    RoutePlan plan;
    Stage stage = Stage.READING;
    int hostEnd;
    boolean preflight;

    @Nullable Fault miss;

    String allow = "";

    boolean requestComplete;
    /** The request's body is collected before anything else happens. */
    boolean collectingRequest;
    /** It was collected: its length is known, whatever framing it came in. */
    boolean requestCollected;
    /** What was queued is being written. */
    boolean sendingQueue;
    /** What was queued of the response is. */
    boolean answeringQueue;

    /** {@link BodyMemory} knows of it. */
    boolean isInBodyMemory;

    boolean collectingResponse;
    boolean responseCollected;
    boolean responseComplete;
    /** The body leaves in chunks. */
    boolean responseChunked;

    boolean responseUntilClose;
    boolean persist;
    long requestBodySent;

    @Nullable Trailers responseTrailers;

    @Nullable HttpNode node;
    /** The node of the last try, for the log. */
    @Nullable HttpNode lastNode;

    @Nullable ClientConnection client;

    @Nullable Object attempt;

    boolean freshOnly;
    int attempts;
    final TriedNodes tried = new TriedNodes();

    /** The chain position up to which plugins have seen the request. */
    int reached = -1;
    /** The next of the plugins that see the response. */
    int responseIndex;
    /** A plugin may still hold it, though it is over: it is left to the garbage collector. */
    boolean heldByPlugin;
    /** Not 0 while parked: the number of this parking, so that an outcome that comes too late is known as such. */
    int parking;

    private int parkings;
    int parkedAt;
    boolean parkedInResponse;

    @Nullable Fault fault;

    @Nullable String reason;

    boolean hasResponse;
    /** The body of a response of Sigma's own or of a plugin's. */
    byte @Nullable [] ownBody;

    long startNanos;
    long bodyBytesSent;
    private @Nullable Object @Nullable [] attachments;

    HttpExchange(HttpFlow flow, ServerConnection connection, Peer peer) {
        this.flow = flow;
        this.connection = connection;
        this.peer = peer;
        this.plan = flow.unrouted();
    }

    /** Makes it ready for another request. */
    void begin(ServerConnection onConnection, Peer ofPeer) {
        connection = onConnection;
        peer = ofPeer;
        plan = flow.unrouted();
        stage = Stage.READING;
        hostEnd = 0;
        preflight = false;
        miss = null;
        allow = "";
        requestComplete = false;
        collectingRequest = false;
        requestCollected = false;
        sendingQueue = false;
        answeringQueue = false;
        collectingResponse = false;
        responseCollected = false;
        responseComplete = false;
        responseChunked = false;
        responseUntilClose = false;
        persist = false;
        requestBodySent = 0;
        responseTrailers = null;
        node = null;
        lastNode = null;
        client = null;
        attempt = null;
        freshOnly = false;
        attempts = 0;
        tried.clear();
        reached = -1;
        responseIndex = 0;
        heldByPlugin = false;
        parking = 0;
        fault = null;
        reason = null;
        hasResponse = false;
        ownBody = null;
        startNanos = 0;
        bodyBytesSent = 0;
        attachments = null;
        request.clear();
        response.clear();
    }

    /** Gives up what waits of the bodies; one that a plugin was called to see is still there when it looks. */
    void dropBodies() {
        requestQueue.clear(heldByPlugin);
        responseQueue.clear(heldByPlugin);
    }

    /** Parks it and returns the number of this parking. */
    int park() {
        parkings = Math.max(1, (parkings + 1) & Integer.MAX_VALUE);
        parking = parkings;
        return parking;
    }

    // Asked by balance

    @Override
    public boolean contains(int nodeIndex) {
        return tried.contains(nodeIndex);
    }

    // Told by the client's connection

    @Override
    public Http1RequestHead requestHead() {
        return request;
    }

    @Override
    public void onRequest() {
        flow.request(this);
    }

    @Override
    public void onRequestBody(ByteBuf in, int count) {
        flow.requests().body(this, in, count);
    }

    @Override
    public void onRequestEnd() {
        flow.requestEnd(this);
    }

    @Override
    public void onRequestPause() {
        ClientConnection to = client;
        if (to != null) {
            to.outlet().flush();
        }
    }

    @Override
    public void onRefused(Refusal why) {
        flow.refuse(this, why);
    }

    @Override
    public void onRequestFault(Fault why) {
        flow.fail(this, why, "");
    }

    @Override
    public void onClientGone() {
        flow.fail(this, Fault.CLIENT_GONE, "");
    }

    @Override
    public void onClientWritability(boolean writable) {
        flow.responses().writabilityChanged(this, writable);
    }

    @Override
    public long waitingBytes() {
        long toNode = collectingRequest || requestCollected ? 0 : requestQueue.heldBytes();
        long toClient = collectingResponse || responseCollected ? 0 : responseQueue.heldBytes();
        ClientConnection from = client;
        return toNode + toClient + (from == null ? 0 : from.waitingBytes());
    }

    /** How much it holds of bodies. */
    long collectedBytes() {
        return requestQueue.heldBytes() + responseQueue.heldBytes();
    }

    @Override
    public void onMemoryShort() {
        ClientConnection from = client;
        if (from != null) {
            from.onMemoryShort();
        }
    }

    // Told by the node's connection

    @Override
    public Http1ResponseHead responseHead() {
        return response;
    }

    @Override
    public boolean isHeadRequest() {
        return request.isHead();
    }

    @Override
    public void onInterimResponse() {
        flow.responses().interim(this);
    }

    @Override
    public void onResponse() {
        flow.respond(this);
    }

    @Override
    public void onResponseBody(ByteBuf in, int count) {
        flow.responses().body(this, in, count);
    }

    @Override
    public void onResponseEnd() {
        flow.responseEnd(this);
    }

    @Override
    public void onResponsePause() {
        connection.outlet().flush();
    }

    @Override
    public void onResponseFault(Fault why, @Nullable Refusal refusal) {
        flow.upstreamFault(this, why, refusal);
    }

    @Override
    public void onUpstreamWritability(boolean writable) {
        if (stage.compareTo(Stage.SENT) >= 0) {
            flow.requests().writabilityChanged(this, writable);
        }
    }

    /** Waited too long for a connection, or for a plugin. */
    @Override
    protected void onDeadline() {
        if (parking != 0) {
            flow.fail(this, Fault.PLUGIN_FAILED, "no outcome in time");
        } else if (stage == Stage.ACQUIRING) {
            flow.fail(this, Fault.POOL_TIMEOUT, "");
        }
    }

    // Asked by routing

    @Override
    public byte[] bytes() {
        return request.pathBytes();
    }

    @Override
    public int pathStart() {
        return request.pathStart();
    }

    @Override
    public int pathEnd() {
        return request.pathEnd();
    }

    @Override
    public byte[] hostBytes() {
        return request.received();
    }

    @Override
    public int hostStart() {
        return request.authorityStart();
    }

    @Override
    public int hostEnd() {
        return hostEnd;
    }

    @Override
    public boolean methodIs(Ascii method) {
        return preflight ? Preflight.requests(request, method) : request.methodIs(method);
    }

    @Override
    public boolean hasBody() {
        return request.hasBody();
    }

    @Override
    public @Nullable String header(FieldName name) {
        List<String> values = request.values(name);
        return values.isEmpty() ? null : String.join(", ", values);
    }

    @Override
    public @Nullable String query() {
        return request.query();
    }

    // Asked by plugins

    @Override
    public RequestHead request() {
        return request;
    }

    @Override
    public ResponseHead response() {
        if (!hasResponse) {
            throw new IllegalStateException("no response yet (expected: in onResponse or onEnd)");
        }
        return response;
    }

    @Override
    public boolean hasResponse() {
        return hasResponse;
    }

    @Override
    public ByteBuffer requestBody() {
        return requestCollected
                ? requestQueue.gathered()
                : ByteBuffer.allocate(0).asReadOnlyBuffer();
    }

    @Override
    public void requestBody(ByteBuffer body) {
        if (!requestQueue.isGathered() || stage != Stage.REQUEST_PLUGINS) {
            throw new IllegalStateException("request body at " + stage + " (expected: collected, in onRequest)");
        }
        requestQueue.replace(body);
    }

    @Override
    public ByteBuffer responseBody() {
        byte[] own = ownBody;
        if (own != null) {
            return ByteBuffer.wrap(own).asReadOnlyBuffer();
        }
        return responseCollected
                ? responseQueue.gathered()
                : ByteBuffer.allocate(0).asReadOnlyBuffer();
    }

    @Override
    public void responseBody(ByteBuffer body) {
        if (ownBody != null) {
            byte[] copy = new byte[body.remaining()];
            body.duplicate().get(copy);
            ownBody = copy;
        } else if (responseQueue.isGathered() && stage == Stage.RESPONSE_PLUGINS) {
            responseQueue.replace(body);
        } else {
            throw new IllegalStateException("response body at " + stage + " (expected: collected, in onResponse)");
        }
    }

    @Override
    public String peerAddress() {
        return peer.text();
    }

    @Override
    public String clientAddress() {
        return plan.forwarding().clientAddress(request, peer);
    }

    @Override
    public String routeId() {
        return plan.routeId();
    }

    @Override
    public String upstreamId() {
        return plan.upstreamId();
    }

    @Override
    public @Nullable Fault fault() {
        return fault;
    }

    @Override
    public @Nullable Object attachment(Plugin plugin) {
        @Nullable Object @Nullable [] kept = attachments;
        int position = plan.chain().positionOf(plugin);
        return kept == null || position < 0 ? null : kept[position];
    }

    @Override
    public void attach(Plugin plugin, @Nullable Object value) {
        int position = plan.chain().positionOf(plugin);
        if (position < 0) {
            throw new IllegalArgumentException(plugin + " (expected: a plugin on the way of this exchange)");
        }
        if (attachments == null) {
            attachments = new Object[plan.chain().length()];
        }
        attachments[position] = value;
    }
}
