package net.oooops.sigma.flow;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.bolt.FlushTurn;
import net.oooops.sigma.bolt.FrameConnection;
import net.oooops.sigma.bolt.FrameRefusal;
import net.oooops.sigma.bolt.FrameWriter;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.http1.HeadWriter;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.route.PathNormalizer;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.udp.UdpSockets;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.NameResolution;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that one event loop owns: connections, exchanges, pools, deadlines, counters. Workers share what is immutable, the
 * {@link NodeRegistry}'s Upstreams with what is known of their nodes, their budgets, breakers and bounds, and a few sums: blocking
 * calls, and what is held of messages that go on whole.
 *
 * <p>Called on its event loop only, where nothing else is said.
 */
public final class Worker {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    /**
     * What a Worker is made from.
     *
     * @param number its number among the Workers, from 0
     * @param count how many Workers there are
     * @param loop its event loop
     * @param upstream how connections to nodes are opened, the event loops that drive them and the kind of channel set
     * @param names resolves nodes' names on that event loop
     * @param counters its counters
     * @param udpSockets its sockets of UDP, or null where the transport has none
     * @param accessLog where its lines go, or null where none are written
     * @param shared what it has in common with the others
     */
    public record Parts(
            int number,
            int count,
            SingleThreadEventLoop loop,
            Bootstrap upstream,
            NameResolution names,
            WorkerCounters counters,
            @Nullable UdpSockets udpSockets,
            AccessLog.@Nullable Appender accessLog,
            Shared shared) {}

    /**
     * What all Workers have in common.
     *
     * @param plan what they do
     * @param nodes the Upstreams, and what is known of their nodes
     * @param identity the gateway's name in Via
     * @param blocking the blocking plugin calls of them all
     * @param calls what all of them hold of calls of Bolt
     * @param bodies what all of them hold of bodies that are collected whole
     */
    public record Shared(
            GatewayPlan plan,
            NodeRegistry nodes,
            Identity identity,
            BlockingCalls blocking,
            HeldMemory.Total calls,
            HeldMemory.Total bodies) {}

    private final Parts parts;
    private final LoopClock clock;
    private final DeadlineWheel wheel;
    private final HeadWriter writer = new HeadWriter();
    private final PathNormalizer normalizer = new PathNormalizer();
    private final DateLine date = new DateLine(System::currentTimeMillis);
    private final Set<ServerConnection> connections = new LinkedHashSet<>();
    private final UpstreamGroups<HttpNode> http;
    private final UpstreamGroups<TcpNode> tcp;
    private final UpstreamGroups<UdpNode> udp;
    private final UpstreamGroups<BoltNode> calls;
    private final List<UpstreamGroup<?>> upstreams = new ArrayList<>();
    private final List<Flow> flows;
    private final List<BoltFlow> boltFlows = new ArrayList<>();
    private final List<UdpFlow> datagramFlows;
    private final FrameConnection.Shared bolt;
    private final BoltCall call = new BoltCall();
    private final BoltRecord boltRecord = new BoltRecord();
    private final Set<WorkerSession> sessions = new LinkedHashSet<>();
    private final RelayMemory memory;
    private final PoolWidth width;
    private final KeptBody.Room keptBodies;
    private final CallMemory callMemory;
    private final BodyMemory bodyMemory;
    private final ExchangeRecord exchangeRecord = new ExchangeRecord();
    private final FailureLog failures;
    private final PluginCalls pluginCalls = new PluginCalls();
    private boolean draining;
    private int inFlight;

    /** Made on any thread, before its event loop hears of it. */
    public Worker(Parts parts) {
        this.parts = parts;
        this.clock = new LoopClock(parts.loop(), System::nanoTime);
        this.wheel = new DeadlineWheel(System::nanoTime);
        this.failures = new FailureLog(clock::nanos, parts.counters());
        GatewayPlan plan = parts.shared().plan();
        int relayBytesMax = share(plan.memory().relayBytesMax(), 1);
        this.memory = new RelayMemory(relayBytesMax, this::waitingBytes, this::onMemoryShort);
        this.bodyMemory = new BodyMemory(this, parts.shared().bodies());
        this.width = new PoolWidth(parts.loop());
        this.keptBodies = new KeptBody.Room(share(plan.memory().bodyBytesMax(), 0) / 2);
        int count = parts.shared().nodes().count();
        this.http = new UpstreamGroups<>(this, count, plan.httpUpstreams(), HttpNode::new);
        this.tcp = new UpstreamGroups<>(this, count, plan.tcpUpstreams(), TcpNode::new);
        this.udp = new UpstreamGroups<>(this, count, plan.udpUpstreams(), UdpNode::new);
        this.calls = new UpstreamGroups<>(this, count, plan.bolt().upstreams(), BoltNode::new);
        upstreams.addAll(http.all());
        upstreams.addAll(tcp.all());
        upstreams.addAll(udp.all());
        upstreams.addAll(calls.all());
        this.callMemory = new CallMemory(this, boltFlows, calls, parts.shared().calls());
        this.bolt = new FrameConnection.Shared(new FlushTurn(parts.loop()), new FrameWriter(), callMemory.reads());
        List<Flow> ofListeners = new ArrayList<>();
        plan.listeners().forEach(listener -> ofListeners.add(new HttpFlow(this, listener)));
        plan.tcpListeners().forEach(listener -> ofListeners.add(new TcpFlow(this, listener)));
        plan.bolt().listeners().forEach(listener -> boltFlows.add(new BoltFlow(this, listener)));
        ofListeners.addAll(boltFlows);
        this.flows = List.copyOf(ofListeners);
        this.datagramFlows = plan.udpListeners().stream()
                .map(listener -> new UdpFlow(this, listener))
                .toList();
    }

    /** Begins to look at its deadlines. Any thread. */
    public void start() {
        parts.loop()
                .scheduleAtFixedRate(
                        this::tick, DeadlineWheel.TICK_NANOS, DeadlineWheel.TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        counters().ticked();
        wheel.advance();
        memory.tick();
        callMemory.tick();
        bodyMemory.tick();
        width.tick(http);
        for (UpstreamGroup<?> upstream : upstreams) {
            upstream.tick();
        }
        AccessLog.Appender log = parts.accessLog();
        if (log != null) {
            log.flushIfDue(clock.nanos());
        }
    }

    /** The road of each Listener of connections, those of HTTP first, in the order of the plan. Any thread. */
    public List<Flow> flows() {
        return flows;
    }

    /** The road of each Listener of UDP, in the order of the plan. Any thread. */
    public List<? extends DatagramFlow> datagramFlows() {
        return datagramFlows;
    }

    /** Its number among the Workers. Any thread. */
    public int number() {
        return parts.number();
    }

    /** Its event loop. Any thread. */
    public SingleThreadEventLoop loop() {
        return parts.loop();
    }

    /** Stops keeping connections: idle ones close now, the others after the exchange they are in. Sessions go on. */
    public void drain() {
        draining = true;
        for (ServerConnection connection : List.copyOf(connections)) {
            connection.drain();
        }
        boltFlows.forEach(BoltFlow::drain);
    }

    /** Closes what is left, on both sides. */
    public void close() {
        for (ServerConnection connection : List.copyOf(connections)) {
            connection.cut();
        }
        for (WorkerSession session : List.copyOf(sessions)) {
            session.cut();
        }
        boltFlows.forEach(BoltFlow::cut);
        datagramFlows.forEach(UdpFlow::close);
        for (UpstreamGroup<?> upstream : upstreams) {
            upstream.nodes().forEach(WorkerNode::close);
        }
        parts.names().close();
        width.close();
    }

    /** Whether nothing is left: no connection, no exchange, no session. */
    public boolean isIdle() {
        return connectionCount() == 0 && inFlight == 0;
    }

    /** How many client connections are open, and sessions of UDP. */
    public int connectionCount() {
        int count = connections.size() + sessions.size();
        for (BoltFlow flow : boltFlows) {
            count += flow.clients().size();
        }
        return count;
    }

    /** The plugin that its event loop is in. Any thread. */
    public PluginCalls pluginCalls() {
        return pluginCalls;
    }

    boolean isDraining() {
        return draining;
    }

    LoopClock clock() {
        return clock;
    }

    DeadlineWheel wheel() {
        return wheel;
    }

    HeadWriter writer() {
        return writer;
    }

    RelayMemory memory() {
        return memory;
    }

    CallMemory callMemory() {
        return callMemory;
    }

    BodyMemory bodyMemory() {
        return bodyMemory;
    }

    PathNormalizer normalizer() {
        return normalizer;
    }

    WorkerCounters counters() {
        return parts.counters();
    }

    Identity identity() {
        return parts.shared().identity();
    }

    BlockingCalls blocking() {
        return parts.shared().blocking();
    }

    ClientConfig client() {
        return parts.shared().plan().client();
    }

    /** The bound on the pooled connections to all nodes of the process. */
    Bound nodeConnections() {
        return parts.shared().nodes().connections();
    }

    byte[] dateLine() {
        return date.at(clock.nanos());
    }

    /** What may be kept of bodies, to be sent again. */
    KeptBody.Room keptBodies() {
        return keptBodies;
    }

    PoolWidth width() {
        return width;
    }

    UpstreamGroups<HttpNode> http() {
        return http;
    }

    UpstreamGroups<TcpNode> tcp() {
        return tcp;
    }

    UpstreamGroups<UdpNode> udp() {
        return udp;
    }

    UpstreamGroups<BoltNode> calls() {
        return calls;
    }

    UdpSockets udpSockets() {
        return Objects.requireNonNull(parts.udpSockets(), "no UDP on this transport");
    }

    BoltPlan boltPlan() {
        return parts.shared().plan().bolt();
    }

    FrameConnection.Shared bolt() {
        return bolt;
    }

    /** Shows one request of Bolt after the other. */
    BoltCall call() {
        return call;
    }

    boolean isLogging() {
        return parts.accessLog() != null;
    }

    /** This Worker's share of what is counted over all of them. */
    int share(int total, int least) {
        int rest = parts.number() < total % parts.count() ? 1 : 0;
        return Math.max(least, total / parts.count() + rest);
    }

    /** Whether there is no other Worker. */
    boolean isAlone() {
        return parts.count() == 1;
    }

    NodeConnector connector(String host, int port) {
        NodeConnector.Means means = new NodeConnector.Means(parts.loop(), parts.upstream(), parts.names());
        return new NodeConnector(means, host, port, client().connectTimeoutNanos());
    }

    /** A Listener couldn't accept: said once in a while; what there is no descriptor for is counted. */
    public void acceptFailed(String listenerId, Throwable cause) {
        failures.accept(listenerId, cause);
    }

    /** A connection was accepted. */
    boolean opened(ServerConnection connection, int connectionsMax) {
        if (connections.size() >= share(connectionsMax, 1)) {
            counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
            return false;
        }
        connections.add(connection);
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED);
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
        boolean known = Peer.isKnown(connection.channel());
        if (!known) {
            // Reset before it was accepted: nobody waits for an answer.
            closed(connection);
        }
        return known;
    }

    void closed(ServerConnection connection) {
        if (connections.remove(connection)) {
            counters().decrement(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
        }
    }

    void began() {
        inFlight++;
        counters().requestBegan();
    }

    /** The exchange is over: counted and logged. */
    void ended(HttpExchange x) {
        Fault fault = x.fault;
        boolean seen = fault == null || (x.response.isPresent() && fault.status() != Fault.CLIENT_GONE.status());
        int status = seen || fault == null ? x.response.head.status() : fault.status();
        inFlight--;
        counters().requestEnded(status);
        counters().add(Counter.DOWNSTREAM_BYTES_SENT, x.connection.outlet().takeWrittenBytes());
        counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, x.connection.takeReceivedBytes());
        AccessLog.Appender log = parts.accessLog();
        if (log != null) {
            log.append(exchangeRecord.of(x, status, clock.nanos()));
        }
    }

    /** Something has cost a connection: what is a fault of Sigma's own is said once in a while, counted always. */
    void thrown(Throwable cause) {
        if (cause instanceof IOException) {
            return;
        }
        counters().failed(Fault.INTERNAL);
        failures.thrown(cause);
    }

    /** A session begins: its connection is counted among those of clients. */
    void began(TcpSession session) {
        sessions.add(session);
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED);
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
        counters().increment(Counter.SESSIONS_IN_FLIGHT);
    }

    /** A session of UDP begins: it has no connection. */
    void began(UdpSession session) {
        sessions.add(session);
        counters().increment(Counter.UDP_SESSIONS_IN_FLIGHT);
        counters().increment(Counter.SESSIONS_IN_FLIGHT);
    }

    /** The session is over: counted and logged. */
    void ended(TcpSession session) {
        counters().decrement(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
        ended((WorkerSession) session);
    }

    /** The session is over: counted and logged. */
    void ended(UdpSession session) {
        counters().decrement(Counter.UDP_SESSIONS_IN_FLIGHT);
        ended((WorkerSession) session);
    }

    private long waitingBytes() {
        long all = 0;
        for (ServerConnection connection : connections) {
            all += connection.waitingBytes();
        }
        for (WorkerSession session : sessions) {
            all += session.waitingBytes();
        }
        return all;
    }

    private void onMemoryShort() {
        counters().increment(Counter.RELAY_MEMORY_SHORT);
        connections.forEach(ServerConnection::onMemoryShort);
        sessions.forEach(WorkerSession::onMemoryShort);
    }

    private void ended(WorkerSession session) {
        sessions.remove(session);
        counters().decrement(Counter.SESSIONS_IN_FLIGHT);
        counters().increment(session.fault() == null ? Counter.SESSIONS_COMPLETE : Counter.SESSIONS_CUT);
        AccessLog.Appender log = parts.accessLog();
        if (log != null) {
            log.append(new SessionRecord(session, clock.nanos()));
        }
    }

    /** A call of Bolt is over: logged. */
    void ended(BoltExchange x, int status) {
        AccessLog.Appender log = parts.accessLog();
        if (log != null) {
            log.append(boltRecord.of(x, status, clock.nanos()));
        }
    }

    /** What isn't a frame of Bolt cost a client its connection: said once in a while, counted always. */
    void frameRefused(FrameRefusal why, String listenerId, String client) {
        counters().refused(RefusalNames.index(why));
        failures.frame(why, listenerId, client);
    }

    /** What isn't a frame of Bolt cost a node its connection: said once in a while, counted always. */
    void frameRefused(FrameRefusal why, WorkerNode node) {
        counters().refused(RefusalNames.index(why));
        failures.frame(why, node);
    }

    /** A node of Bolt gives no sign of life. */
    void nodeSilent(WorkerNode node) {
        LOG.warn("upstream {} node {}: no answer to heartbeats, connection closed", node.upstreamId(), node.name());
    }

    /** Says what fails, each cause once in a while. */
    FailureLog failures() {
        return failures;
    }
}
