package net.oooops.sigma.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.ListenerFlow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.SessionPlugins;
import net.oooops.sigma.tcp.TcpSession.Stage;
import net.oooops.sigma.tls.ClientHello;
import net.oooops.sigma.tls.HelloReader;
import net.oooops.sigma.tls.Hellos;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The road of a session through one Listener on one Worker: the stages in their order.
 *
 * <pre>
 *   accept ─▶ opened (limit) ─▶ header (PROXY protocol) ─▶ plugins ─▶ hello (TLS) ─▶ routed ─▶ {@link Attempts} ─▶ passing ─▶ end
 *   fail: from anywhere; the client's connection is reset, and so is the node's
 * </pre>
 *
 * Until its node is connected no more of the client is read than that: what else it has sent by then waits in the kernel, as much as fits
 * there, and is there for whichever node it will be. Plugins of the server see it before anything is decrypted, those of the proxy-pass
 * where it goes.
 *
 * <p>Called on the Worker's event loop only.
 */
final class TcpFlow implements Flow, ListenerFlow<TcpListenerPlan> {
    /** It is looked so many times in the length of an idle timeout if bytes have passed, so that passing costs no look at a clock. */
    private static final int LOOKS = 16;

    private static final long LOOK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    /** Bytes are counted then too: no counter is further behind. */
    private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** How its sessions come to their nodes. */
    final Attempts attempts;

    private final TcpRoad road;
    private final LoopContext loop;
    /** Null where TLS doesn't end here. */
    private final @Nullable ClientHandshakes handshakes;
    /** What is kept of those that are only looked at. */
    private final Hellos hellos = new Hellos();

    private TcpListenerPlan plan;
    /** Those that follow the configuration which that is from. */
    private Generation.Followers following;

    private TcpListenerConfig listener;
    private long lookNanos;
    private int sessions;

    TcpFlow(TcpRoad road, TcpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.attempts = new Attempts(this, road);
        this.plan = plan;
        this.following = loop.following();
        this.listener = plan.listener();
        this.lookNanos = lookNanos();
        this.handshakes = plan.tls() == null
                ? null
                : new ClientHandshakes(loop, listener.id(), plan.tls(), listener.limits(), listener.timeouts());
    }

    private long lookNanos() {
        return Math.clamp(listener.idleTimeoutNanos() / LOOKS, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

    @Override
    public TcpListenerConfig listener() {
        return listener;
    }

    /** A connection that is plain doesn't become an encrypted one. What else handshakes ask is asked of the next session: to drain would cut this one. */
    @Override
    public boolean canFollow(TcpListenerPlan next) {
        return (next.tls() == null) == (plan.tls() == null);
    }

    @Override
    public void follow(TcpListenerPlan next) {
        plan = next;
        following = loop.following();
        listener = next.listener();
        lookNanos = lookNanos();
        if (handshakes != null && next.tls() != null) {
            handshakes.follow(next.tls(), listener.limits(), listener.timeouts());
        }
    }

    /** Sessions go on: they know no moment at which nothing is under way. */
    @Override
    public void drain() {}

    @Override
    public void replaced() {
        if (handshakes != null) {
            handshakes.endAll();
        }
    }

    @Override
    public void resume() {}

    @Override
    public void cut() {
        road.cut(this);
    }

    @Override
    public int connectionCount() {
        return sessions;
    }

    /** Time has passed. */
    void tick() {
        if (handshakes != null) {
            handshakes.tick();
        }
    }

    /** What holds for sessions that begin. */
    TcpListenerPlan plan() {
        return plan;
    }

    RelayMemory memory() {
        return loop.memory();
    }

    // The stages

    @Override
    public void accept(Channel channel) {
        if (!Flow.isKnown(channel)) {
            // Reset before it was accepted: nobody waits for a node.
            channel.close();
            return;
        }
        TcpSession s = new TcpSession(this, channel);
        s.relay.prepareClient(channel, listener.limits().writeBufferBytesMax());
        if (listener.tcpKeepAlive()) {
            channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        }
        channel.pipeline().addLast(s.relay.client());
    }

    /** The client's connection is open. */
    void opened(TcpSession s) {
        if (sessions >= loop.share(listener.connectionsMax(), 1)) {
            loop.counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
            s.relay.abort();
            return;
        }
        sessions++;
        s.plan = plan;
        s.startNanos = loop.clock().nanos();
        road.began(s, following);
        if (listener.proxyProtocol()) {
            awaitHeader(s);
        } else {
            plugins(s);
        }
    }

    private void awaitHeader(TcpSession s) {
        s.stage = Stage.HEADER;
        if (!isTrusted(s.peer)) {
            headerRefused(s, HeaderRefusal.UNTRUSTED);
            return;
        }
        loop.wheel().arm(s, listener.timeouts().headerNanos());
        s.channel.pipeline().addFirst(new HeaderReader(s));
        s.channel.config().setAutoRead(true);
    }

    private boolean isTrusted(IpAddress peer) {
        return listener.trustedProxies().stream().anyMatch(block -> block.contains(peer));
    }

    /** The header is read. */
    void header(TcpSession s, @Nullable Endpoints told) {
        loop.wheel().disarm(s);
        s.channel.config().setAutoRead(false);
        if (told != null) {
            s.endpoints = told;
        }
        plugins(s);
    }

    private void plugins(TcpSession s) {
        s.stage = Stage.CONNECTING;
        if (isRefused(s, s.plan.chain())) {
            return;
        }
        if (handshakes != null) {
            s.stage = Stage.HELLO;
            handshakes.begin(s.channel, s);
            s.relay.reread();
        } else if (s.plan.routes().areAny()) {
            s.stage = Stage.HELLO;
            loop.wheel().arm(s, listener.timeouts().handshakeNanos());
            s.channel.pipeline().addFirst(new HelloReader(hellos, s));
            s.channel.config().setAutoRead(true);
            s.relay.reread();
        } else {
            routed(s, s.plan.routes().otherwise());
        }
    }

    private boolean isRefused(TcpSession s, Chain chain) {
        Fault refusal = SessionPlugins.refusal(loop, chain, s);
        if (refusal != null) {
            fail(s, refusal);
        }
        return refusal != null;
    }

    /** The client's connection is encrypted, and TLS ends here. */
    void secured(TcpSession s, TlsSession tls) {
        String protocol = tls.protocol();
        s.tls = tls;
        TcpRoutePlan route = s.plan.routes().match(tls.host(), protocol == null ? List.of() : List.of(protocol));
        if (route == null) {
            // Ended as it should be, this would be an empty answer.
            fail(s, Fault.NO_ROUTE);
        } else {
            routed(s, route);
        }
    }

    /** It is known what the client asks for, and nothing is decrypted. */
    void hello(TcpSession s, ClientHello hello) {
        loop.wheel().disarm(s);
        s.channel.config().setAutoRead(false);
        s.host = hello.host();
        TcpRoutePlan route = s.plan.routes().match(hello.host(), hello.protocols());
        if (route == null) {
            s.channel.writeAndFlush(HelloReader.unknownName());
        }
        routed(s, route);
    }

    private void routed(TcpSession s, @Nullable TcpRoutePlan route) {
        s.stage = Stage.CONNECTING;
        s.route = route;
        if (route == null) {
            refuse(s, Fault.NO_ROUTE);
        } else if (!isRefused(s, route.chain())) {
            attempts.begin(s, route);
        }
    }

    /** Its node is connected. */
    void passing(TcpSession s, Channel toNode) {
        s.stage = Stage.PASSING;
        s.taken.begin(toNode, loop.clock().nanos());
        loop.wheel().arm(s, lookNanos);
        s.relay.begin(toNode);
    }

    /** Counts the bytes that have passed since it was last asked; whether there are any. */
    private boolean count(TcpSession s) {
        long fromClient = s.relay.clientBytes() - s.clientBytesCounted;
        long fromNode = s.relay.nodeBytes() - s.nodeBytesCounted;
        s.clientBytesCounted += fromClient;
        s.nodeBytesCounted += fromNode;
        WorkerCounters counters = loop.counters();
        counters.add(Counter.DOWNSTREAM_BYTES_RECEIVED, fromClient);
        counters.add(Counter.UPSTREAM_BYTES_SENT, fromClient);
        counters.add(Counter.UPSTREAM_BYTES_RECEIVED, fromNode);
        counters.add(Counter.DOWNSTREAM_BYTES_SENT, fromNode);
        return fromClient + fromNode > 0;
    }

    /** One side was reset; the other takes what was read before. */
    void ending(TcpSession s) {
        s.stage = Stage.ENDING;
        loop.wheel().arm(s, listener.timeouts().lingerNanos());
    }

    /** The session is over, and both connections are closed. */
    void end(TcpSession s, Relay.@Nullable End end) {
        boolean counted = s.stage != Stage.ACCEPTED;
        s.stage = Stage.ENDED;
        if (!counted) {
            return;
        }
        if (s.fault == null && end != Relay.End.COMPLETE) {
            s.fault = end == Relay.End.NODE_RESET ? Fault.UPSTREAM_CLOSED : Fault.CLIENT_GONE;
            loop.counters().failed(s.fault);
            if (s.node != null && end == Relay.End.NODE_RESET) {
                s.report.heard(s.node, Heard.FAILURE);
            }
        }
        sessions--;
        loop.wheel().remove(s);
        count(s);
        attempts.leave(s);
        road.ended(s);
    }

    // What goes wrong

    /** The connection doesn't begin as it has to. */
    void headerRefused(TcpSession s, HeaderRefusal why) {
        loop.counters().refused(why);
        fail(s, Fault.PROXY_HEADER_REFUSED);
    }

    /** The client's connection can't be encrypted. */
    void unencrypted(TcpSession s) {
        if (s.stage != Stage.ENDED) {
            refuse(s, Fault.HANDSHAKE_FAILED);
        }
    }

    /** What the client says first isn't to be understood. */
    void helloRefused(TcpSession s, Counter why) {
        loop.counters().increment(why);
        unencrypted(s);
    }

    /** The session ends here, and its client may have been told why in TLS's own way: its connection isn't reset. */
    private void refuse(TcpSession s, Fault fault) {
        s.fault = fault;
        loop.counters().failed(fault);
        s.relay.refuse();
    }

    /** A deadline has passed. */
    void late(TcpSession s) {
        switch (s.stage) {
            case HEADER -> headerRefused(s, HeaderRefusal.LATE);
            case HELLO -> helloRefused(s, Counter.TLS_HANDSHAKES_LATE);
            case PASSING -> lookIfIdle(s);
            case ENDING -> s.relay.abort();
            case ACCEPTED, CONNECTING, ENDED -> {}
        }
    }

    private void lookIfIdle(TcpSession s) {
        long now = loop.clock().nanos();
        if (!count(s)) {
            s.relay.quiet();
        }
        s.taken.within(listener.idleTimeoutNanos());
        long nextNanos = s.taken.look(s.clientBytesCounted + s.nodeBytesCounted, now);
        if (nextNanos == 0) {
            fail(s, Fault.SESSION_IDLE);
        } else {
            loop.wheel().arm(s, Math.min(lookNanos, nextNanos));
        }
    }

    /** A fault of Sigma's own. */
    void thrown(TcpSession s, Throwable cause) {
        loop.thrown(cause);
        if (s.stage != Stage.ENDED) {
            s.fault = Fault.INTERNAL;
            s.relay.abort();
        }
    }

    /** The session ends here: both connections are reset. */
    void fail(TcpSession s, Fault fault) {
        if (s.stage != Stage.ENDED) {
            s.fault = fault;
            loop.counters().failed(fault);
            s.relay.abort();
        }
    }
}
