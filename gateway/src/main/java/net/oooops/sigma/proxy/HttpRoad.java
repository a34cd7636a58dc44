package net.oooops.sigma.proxy;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.DownstreamConnection;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http2.Http2Room;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.tls.TlsHandshake;
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

    private final List<HttpListener> flows;
    private final Set<DownstreamConnection> connections = new LinkedHashSet<>();
    private final Set<TlsHandshake> handshakes = new LinkedHashSet<>();
    private final HeadWriter writer = new HeadWriter();
    private final HeadWriter added = new HeadWriter();
    private final PathNormalizer normalizer = new PathNormalizer();
    private final DateLine date = new DateLine(System::currentTimeMillis);
    private final BodyMemory bodyMemory;
    private final KeptBody.Room keptBodies;
    private final PoolWidth width;
    private final ExchangeRecord record = new ExchangeRecord();
    private @Nullable Http2Room http2Room;
    private int inFlight;

    /**
     * Made before the event loop hears of it.
     *
     * @param identity the gateway's name in Via
     * @param bodies what all Workers hold of bodies that are collected whole
     */
    public HttpRoad(LoopContext loop, HttpPlan plan, Identity identity, HeldMemory.Total bodies) {
        this.loop = loop;
        this.identity = identity;
        this.bodyMemory = new BodyMemory(loop, bodies);
        this.keptBodies = new KeptBody.Room(loop.share(plan.bodyBytesMax(), 0) / 2);
        this.width = new PoolWidth(loop);
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), this::node);
        this.flows = plan.listeners().stream()
                .map(listener -> new HttpListener(this, listener))
                .toList();
    }

    private HttpNode node(WorkerNode.Place place, Node node) {
        return new HttpNode(this, place, node);
    }

    @Override
    public List<? extends Flow> flows() {
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
        for (HttpListener flow : flows) {
            flow.tick();
        }
    }

    @Override
    public void drain() {
        for (DownstreamConnection connection : List.copyOf(connections)) {
            connection.drain();
        }
        cutHandshakes();
    }

    @Override
    public void close() {
        for (DownstreamConnection connection : List.copyOf(connections)) {
            connection.cut(Fault.REQUEST_CUT);
        }
        cutHandshakes();
        width.close();
    }

    private void cutHandshakes() {
        for (TlsHandshake handshake : List.copyOf(handshakes)) {
            handshake.cut();
        }
    }

    @Override
    public boolean isIdle() {
        return connections.isEmpty() && inFlight == 0;
    }

    @Override
    public int connectionCount() {
        return connections.size();
    }

    @Override
    public long waitingBytes() {
        long all = 0;
        for (DownstreamConnection connection : connections) {
            all += connection.waitingBytes();
        }
        return all;
    }

    @Override
    public void onMemoryShort() {
        connections.forEach(DownstreamConnection::onMemoryShort);
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
        HedgeWatch watch = new HedgeWatch(loop, upstream);
        hedges[number] = watch;
        return watch;
    }

    /** A connection that is to be encrypted was accepted. Whether it may stay. */
    boolean handshakeBegan(TlsHandshake handshake, int connectionsMax) {
        boolean stays = hasRoom(connectionsMax) && !loop.isDraining();
        if (stays && handshakes.add(handshake)) {
            loop.counters().increment(Counter.TLS_HANDSHAKES_IN_FLIGHT);
        }
        return stays;
    }

    void handshakeEnded(TlsHandshake handshake) {
        if (handshakes.remove(handshake)) {
            loop.counters().decrement(Counter.TLS_HANDSHAKES_IN_FLIGHT);
        }
    }

    private boolean hasRoom(int connectionsMax) {
        boolean has = connections.size() + handshakes.size() < loop.share(connectionsMax, 1);
        if (!has) {
            loop.counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
        }
        return has;
    }

    /** A connection was accepted, or is encrypted now. Whether it may stay. */
    boolean opened(DownstreamConnection connection, int connectionsMax) {
        if (!hasRoom(connectionsMax)) {
            return false;
        }
        connections.add(connection);
        loop.clientConnected();
        boolean known = Flow.isKnown(connection.channel());
        if (!known) {
            // Reset before it was accepted: nobody waits for an answer.
            closed(connection);
        }
        return known;
    }

    /** A connection goes on as another one. */
    void replaced(DownstreamConnection connection, DownstreamConnection with) {
        if (connections.remove(connection)) {
            connections.add(with);
        }
    }

    /** What connections of HTTP/2 work in: made with the first of them. */
    Http2Room http2Room() {
        Http2Room room = http2Room;
        if (room == null) {
            room = new Http2Room();
            http2Room = room;
        }
        return room;
    }

    void closed(DownstreamConnection connection) {
        if (connections.remove(connection)) {
            loop.clientDisconnected();
        }
    }

    void began() {
        inFlight++;
        loop.counters().requestBegan();
    }

    /** The exchange is over: counted and logged. */
    void ended(HttpExchange x) {
        Fault fault = x.fault;
        // A client that was switched has seen the answer, however it left later.
        boolean seen = fault == null || x.tunnel != null || (x.response.isPresent() && !fault.isClientLost());
        int status = seen || fault == null ? x.response.head.status() : fault.status();
        inFlight--;
        loop.counters().requestEnded(status);
        loop.counters().add(Counter.DOWNSTREAM_BYTES_SENT, x.stream.takeWrittenBytes());
        loop.counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, x.stream.takeReceivedBytes());
        if (loop.isLogging()) {
            loop.log(record.of(x, status, loop.clock().nanos()));
        }
    }
}
