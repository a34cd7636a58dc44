package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.DownstreamConnection;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.http2.Http2Room;
import net.oooops.sigma.http2.Http2Server;
import net.oooops.sigma.http2.Http2ServerConnection;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.FollowTurns;
import net.oooops.sigma.runtime.ListenerFlow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * One Listener on one Worker, up to where a request begins: its connections, in the version of HTTP that each speaks, and what they have in
 * common. What becomes of requests is {@link HttpProxy}'s.
 *
 * <p>Called on the Worker's event loop only.
 */
final class HttpListener implements Flow, ListenerFlow<HttpListenerPlan>, Http2Server {
    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;
    private final Set<DownstreamConnection> connections = new LinkedHashSet<>();
    /** There where the Listener ends TLS. */
    private final @Nullable EncryptedConnections encrypted;

    private final FollowTurns<DownstreamConnection> turns;
    private HttpListenerPlan plan;
    private int http2StreamsMax;

    HttpListener(HttpRoad road, HttpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.turns = new FollowTurns<>(DownstreamConnection::follow, loop::thrown);
        this.plan = plan;
        this.proxy = new HttpProxy(road, plan);
        this.http2StreamsMax = streamsMax();
        ServerTls tls = plan.tls();
        this.encrypted = tls == null ? null : new EncryptedConnections(road, this, plan.listener(), tls);
    }

    private int streamsMax() {
        return loop.share(plan.listener().limits().http2().streamsTotalMax(), 1);
    }

    @Override
    public ListenerConfig listener() {
        return plan.listener();
    }

    /**
     * A connection that is plain doesn't become an encrypted one, nor one of HTTP/2 that of another version; and what clients are asked in handshakes,
     * such as a certificate, wasn't asked of those that are there.
     */
    @Override
    public boolean canFollow(HttpListenerPlan next) {
        return ServerTls.asksTheSame(next.tls(), plan.tls())
                && next.listener().http2() == plan.listener().http2();
    }

    @Override
    public void follow(HttpListenerPlan next) {
        boolean other = !next.listener().timeouts().equals(timeouts())
                || !next.listener().limits().equals(limits());
        plan = next;
        http2StreamsMax = streamsMax();
        proxy.follow(next);
        proxy.resume();
        ServerTls tls = next.tls();
        if (encrypted != null && tls != null) {
            encrypted.follow(next.listener(), tls);
        }
        if (other) {
            turns.begin(connections);
        }
    }

    /** Handshakes go on: who has been let in is answered. */
    @Override
    public void drain() {
        proxy.drain();
        if (encrypted != null) {
            encrypted.drain();
        }
        List.copyOf(connections).forEach(DownstreamConnection::drain);
    }

    @Override
    public void replaced() {
        if (encrypted != null) {
            encrypted.endAll();
        }
    }

    @Override
    public void keepOpen(boolean whether) {
        proxy.keepTunnels(whether);
    }

    @Override
    public void resume() {
        proxy.resume();
        if (encrypted != null) {
            encrypted.resume();
        }
    }

    @Override
    public void cut() {
        List.copyOf(connections).forEach(connection -> connection.cut(Fault.REQUEST_CUT));
        if (encrypted != null) {
            encrypted.cut();
        }
    }

    @Override
    public int connectionCount() {
        return connections.size() + (encrypted == null ? 0 : encrypted.awaitedCount());
    }

    long waitingBytes() {
        long all = 0;
        for (DownstreamConnection connection : connections) {
            all += connection.waitingBytes();
        }
        return all;
    }

    void onMemoryShort() {
        connections.forEach(DownstreamConnection::onMemoryShort);
    }

    @Override
    public void accept(Channel channel) {
        if (encrypted != null) {
            encrypted.accept(channel);
        } else if (plan.listener().http2() == Http2.ONLY) {
            loop.counters().increment(Counter.HTTP2_CONNECTIONS);
            channel.pipeline().addLast(new Http2ServerConnection(this, channel));
        } else {
            channel.pipeline().addLast(new ServerConnection(this, channel));
        }
    }

    void tick() {
        turns.tick();
        if (encrypted != null) {
            encrypted.tick();
        }
    }

    /** A connection of the Listener that ends TLS goes on: encrypted, or with what is no TLS. */
    void goOn(Channel channel, @Nullable TlsSession session) {
        Peer peer = Peer.of(channel, session);
        if (session != null && TlsSession.HTTP2.equals(session.protocol())) {
            loop.counters().increment(Counter.HTTP2_CONNECTIONS);
            Http2ServerConnection connection = new Http2ServerConnection(this, channel);
            connection.attach(peer);
            channel.pipeline().addLast(connection);
        } else {
            ServerConnection connection = new ServerConnection(this, channel);
            connection.attach(peer);
            channel.pipeline().addLast(connection);
        }
    }

    @Override
    public boolean mayHoldHead(ServerExchange of) {
        return proxy.exchanges.holdsHead((HttpExchange) of);
    }

    @Override
    public boolean mayHoldTrailers(ServerExchange of, Trailers section) {
        return proxy.exchanges.holdsTrailers((HttpExchange) of, section);
    }

    /** Behind TLS the version was agreed on. */
    @Override
    public boolean takesHttp2() {
        return encrypted == null && plan.listener().http2() == Http2.TOO;
    }

    @Override
    public void onPreface(DownstreamConnection connection, ServerExchange unused, ByteBuf received) {
        loop.counters().increment(Counter.HTTP2_CONNECTIONS);
        proxy.exchanges.unused((HttpExchange) unused);
        Channel channel = connection.channel();
        Http2ServerConnection next = new Http2ServerConnection(this, channel);
        next.attach(peer(connection));
        if (connections.remove(connection)) {
            connections.add(next);
        }
        channel.pipeline().replace(ServerConnection.class, null, next);
        next.begin();
        channel.pipeline().fireChannelRead(received);
    }

    // What connections have in common

    @Override
    public Limits limits() {
        return plan.listener().limits();
    }

    @Override
    public Timeouts timeouts() {
        return plan.listener().timeouts();
    }

    @Override
    public DeadlineWheel wheel() {
        return loop.wheel();
    }

    @Override
    public RelayMemory memory() {
        return loop.memory();
    }

    @Override
    public HeadWriter writer() {
        return road.writer();
    }

    @Override
    public LoopClock clock() {
        return loop.clock();
    }

    @Override
    public Http2Room room() {
        return road.http2Room();
    }

    @Override
    public boolean isDraining() {
        return proxy.isDraining();
    }

    // What they tell

    @Override
    public ServerExchange begin(DownstreamConnection connection, ServerStream stream) {
        return proxy.exchanges.take(stream, peer(connection));
    }

    private static Peer peer(DownstreamConnection connection) {
        Peer peer = (Peer) connection.attachment();
        if (peer == null) {
            peer = Peer.of(connection.channel(), null);
            connection.attach(peer);
        }
        return peer;
    }

    @Override
    public boolean onOpened(DownstreamConnection connection) {
        if (!road.hasRoom(limits().connectionsMax())) {
            return false;
        }
        connections.add(connection);
        road.opened();
        boolean known = Flow.isKnown(connection.channel());
        if (!known) {
            // Reset before it was accepted: nobody waits for an answer.
            onClosed(connection);
        }
        return known;
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
    }

    @Override
    public void onIdleTimeout() {
        loop.counters().increment(Counter.DOWNSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onBodyLeft() {
        loop.counters().increment(Counter.REQUEST_BODIES_LEFT);
    }

    @Override
    public void onBodyCut() {
        loop.counters().increment(Counter.REQUEST_BODIES_CUT);
    }

    @Override
    public void onDiscarded(long bytes) {
        loop.counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, bytes);
    }

    @Override
    public int http2StreamsMax() {
        return http2StreamsMax;
    }

    @Override
    public void onStreamRefused() {
        loop.counters().increment(Counter.HTTP2_STREAMS_REFUSED);
    }

    @Override
    public void onStreamReset() {
        loop.counters().increment(Counter.HTTP2_STREAMS_RESET);
    }

    @Override
    public void onBroken(boolean flood, String reason) {
        loop.counters().increment(flood ? Counter.HTTP2_FLOODS : Counter.HTTP2_ERRORS);
    }

    @Override
    public void onClosed(DownstreamConnection connection) {
        if (connections.remove(connection)) {
            road.closed();
        }
    }
}
