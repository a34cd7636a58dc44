package net.oooops.sigma.proxy;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http2.Http2Room;
import net.oooops.sigma.memory.HeadMemory;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.runtime.Flows;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * What a Worker has of HTTP: the flow of each Listener, the connections of clients, and what its exchanges share.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class HttpRoad implements Road {
    private final LoopContext loop;
    private final Identity identity;
    private final UpstreamGroups<HttpNode> upstreams;
    /** By the numbers of Upstreams; null where nothing was hedged yet. */
    private @Nullable HedgeWatch[] hedges = new HedgeWatch[0];

    private final Flows<HttpListener, HttpListenerPlan> flows;
    private final HeadWriter writer = new HeadWriter();
    private final HeadWriter added = new HeadWriter();
    private final PathNormalizer normalizer = new PathNormalizer();
    private final DateLine date = new DateLine(System::currentTimeMillis);
    private final BodyMemory bodyMemory;
    private final HeadMemory heads;
    private final KeptBody.Room keptBodies;
    private final PoolWidth width;
    private final ExchangeRecord record = new ExchangeRecord();
    private CalleePlans callees;
    /** There once a plugin has asked without an exchange. */
    private @Nullable OwnCalls ownCalls;

    private boolean closed;
    private @Nullable Http2Room http2Room;
    private int connections;
    private int handshakes;
    private int inFlight;

    /**
     * Made before the event loop hears of it.
     *
     * @param identity the gateway's name in Via
     * @param bodies what all Workers hold of bodies that are collected whole
     * @param headBytesMax what heads of requests may hold on all Workers
     */
    public HttpRoad(LoopContext loop, HttpPlan plan, Identity identity, HeldMemory.Total bodies, int headBytesMax) {
        this.loop = loop;
        this.identity = identity;
        this.bodyMemory = new BodyMemory(loop, bodies);
        this.heads = new HeadMemory(
                loop.share(headBytesMax, 1), () -> loop.counters().increment(Counter.HEAD_MEMORY_SHORT));
        this.keptBodies = new KeptBody.Room(loop.share(plan.bodyBytesMax(), 0) / 2);
        this.width = new PoolWidth(loop);
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), this::node);
        this.flows = new Flows<>(loop, each -> new HttpListener(this, each), HttpListenerPlan::listener);
        this.flows.follow(plan.listeners());
        this.callees = plan.callees();
    }

    /** Requests that begin from now on follow that plan. Upstreams that it has no more stay, for those that are under way. */
    public void follow(HttpPlan plan) {
        try {
            upstreams.follow(plan.upstreams());
        } finally {
            // What is new leads to those that do follow.
            flows.follow(plan.listeners());
            callees = plan.callees();
            if (ownCalls != null) {
                ownCalls.follow(callees);
            }
        }
    }

    /**
     * A plugin asks without an exchange.
     *
     * @param proxyPassId where, by what holds now
     * @param answer to be completed on the event loop; where it is completed before, the call ends
     */
    public void ask(String proxyPassId, Callout callout, CompletableFuture<Response> answer) {
        if (closed) {
            answer.completeExceptionally(new CalloutException(Fault.CLIENT_GONE, "the gateway ends"));
            return;
        }
        OwnCalls calls = ownCalls;
        if (calls == null) {
            calls = new OwnCalls(this, callees);
            ownCalls = calls;
        }
        calls.begin(callees.find(proxyPassId), callout, answer);
    }

    private HttpNode node(WorkerNode.Place place, Node node) {
        return new HttpNode(this, place, node);
    }

    @Override
    public Flows<HttpListener, HttpListenerPlan> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<HttpNode> upstreams() {
        return upstreams;
    }

    @Override
    public void tick() {
        bodyMemory.tick();
        width.tick(upstreams);
        for (HttpListener flow : flows.all()) {
            flow.tick();
        }
    }

    @Override
    public void close() {
        closed = true;
        flows.cut();
        if (ownCalls != null) {
            ownCalls.close();
        }
        width.close();
    }

    @Override
    public boolean isIdle() {
        return connections == 0 && handshakes == 0 && inFlight == 0;
    }

    @Override
    public int connectionCount() {
        return connections;
    }

    @Override
    public long waitingBytes() {
        long all = 0;
        for (HttpListener flow : flows.all()) {
            all += flow.waitingBytes();
        }
        return all;
    }

    @Override
    public void onMemoryShort() {
        flows.all().forEach(HttpListener::onMemoryShort);
    }

    LoopContext loop() {
        return loop;
    }

    Identity identity() {
        return identity;
    }

    /** What heads are written with. */
    HeadWriter writer() {
        return writer;
    }

    /** What a head gets beside its own fields: nothing yet. */
    HeadWriter addedFields() {
        return added.begin();
    }

    PathNormalizer normalizer() {
        return normalizer;
    }

    byte[] dateLine() {
        return date.at(loop.clock().nanos());
    }

    BodyMemory bodyMemory() {
        return bodyMemory;
    }

    /** What requests' heads hold. */
    HeadMemory heads() {
        return heads;
    }

    /** What may be kept of bodies, to be sent again. */
    KeptBody.Room keptBodies() {
        return keptBodies;
    }

    PoolWidth width() {
        return width;
    }

    /** What requests to an Upstream are hedged by: made where that is asked for the first time. */
    HedgeWatch hedges(UpstreamGroup<HttpNode> upstream) {
        int number = upstream.upstream().number();
        HedgeWatch watch = number < hedges.length ? hedges[number] : null;
        // Another Upstream may have had that number.
        return watch != null && watch.isOf(upstream) ? watch : watched(upstream, number);
    }

    private HedgeWatch watched(UpstreamGroup<HttpNode> upstream, int number) {
        if (number >= hedges.length) {
            hedges = Arrays.copyOf(hedges, number + 1);
        }
        HedgeWatch watch = new HedgeWatch(loop.eventLoop(), loop.clock()::nanos, upstream);
        hedges[number] = watch;
        return watch;
    }

    /** Whether there is room for one more connection, of so many; where there isn't, that is counted. */
    boolean hasRoom(int connectionsMax) {
        boolean has = connections + handshakes < loop.share(connectionsMax, 1);
        if (!has) {
            loop.counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
        }
        return has;
    }

    /** A connection that is to be encrypted stays. */
    void handshakeBegan() {
        handshakes++;
        loop.counters().increment(Counter.TLS_HANDSHAKES_IN_FLIGHT);
    }

    void handshakeEnded() {
        handshakes--;
        loop.counters().decrement(Counter.TLS_HANDSHAKES_IN_FLIGHT);
    }

    /** A connection stays. */
    void opened() {
        connections++;
        loop.clientConnected();
    }

    /** One that stayed is closed. */
    void closed() {
        connections--;
        loop.clientDisconnected();
    }

    /** What connections of HTTP/2 work in: made with the first of them. */
    Http2Room http2Room() {
        Http2Room room = http2Room;
        if (room == null) {
            room = new Http2Room(heads);
            http2Room = room;
        }
        return room;
    }

    /** An exchange begins: it follows what its Listener does now, to its end. One that a plugin asks by follows what that plugin's exchange does. */
    void began(HttpExchange x) {
        CalloutStream callout = x.callout;
        if (callout == null) {
            loop.counters().requestBegan();
        }
        // What nobody but a plugin waits for holds nothing back.
        inFlight += callout == null || callout.isOfExchange() ? 1 : 0;
        x.follow(callout == null ? x.proxy.following : callout.following());
    }

    /** The exchange is over: counted and logged. */
    void ended(HttpExchange x) {
        CalloutStream callout = x.callout;
        inFlight -= callout == null || callout.isOfExchange() ? 1 : 0;
        if (callout != null) {
            x.following.leave();
            return;
        }
        Fault fault = x.ending.fault();
        // A client that was switched has seen the answer, however it left later.
        boolean seen = fault == null || x.tunnel != null || (x.response.isPresent() && !fault.isClientLost());
        int status = seen || fault == null ? x.response.head.status() : fault.status();
        loop.counters().requestEnded(status);
        loop.counters().add(Counter.DOWNSTREAM_BYTES_SENT, x.stream.takeWrittenBytes());
        loop.counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, x.stream.takeReceivedBytes());
        if (loop.isLogging()) {
            // A turn of the event loop may take long itself.
            loop.log(record.of(x, status, loop.clock().now()));
        }
        x.following.leave();
    }
}
