package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.SessionPlugins;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.tcp.TcpSession.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The road of a session through one Listener on one Worker: the stages in their order.
 *
 * <pre>
 *   accept ─▶ opened (limit) ─▶ header (PROXY protocol) ─▶ plugins ─▶ balance ─▶ connected ─▶ passing ─▶ end
 *                                                                        ▲            │
 *                                                                        └ connectFailed: another node
 *   fail: from anywhere; the client's connection is reset, and so is the node's
 * </pre>
 *
 * Until its node is connected the client isn't read: what it has sent by then waits in the kernel, as much as fits there, and is
 * there for whichever node it will be.
 *
 * <p>Called on the Worker's event loop only.
 */
final class TcpFlow implements Flow {
    /** It is looked so many times in the length of an idle timeout if bytes have passed, so that passing costs no look at a clock. */
    private static final int LOOKS = 16;

    private static final long LOOK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    /** Bytes are counted then too: no counter is further behind. */
    private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private final TcpRoad road;
    private final LoopContext loop;
    private final TcpListenerPlan plan;
    private final TcpListenerConfig listener;
    private final long lookNanos;
    private int sessions;

    TcpFlow(TcpRoad road, TcpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.listener = plan.listener();
        this.lookNanos = Math.clamp(listener.idleTimeoutNanos() / LOOKS, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

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
        s.startNanos = loop.clock().nanos();
        road.began(s);
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
        for (Cidr block : listener.trustedProxies()) {
            if (block.contains(peer)) {
                return true;
            }
        }
        return false;
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
        Fault refusal = SessionPlugins.refusal(loop, plan.chain(), s);
        if (refusal != null) {
            fail(s, refusal);
            return;
        }
        balance(s, Fault.NO_HEALTHY_NODE);
    }

    /** Picks a node that the session wasn't tried on. */
    private void balance(TcpSession s, Fault otherwise) {
        UpstreamGroup<TcpNode> upstream = road.upstreams().of(plan.upstream());
        TcpNode node = upstream.pick(s, true);
        if (node == null) {
            // Nothing was sent: a node that is thought to be away may be there all the same.
            node = upstream.pickAny(s);
        } else {
            s.trial = upstream.isTrial();
        }
        if (node == null) {
            fail(s, otherwise);
            return;
        }
        s.attempts++;
        s.node = node;
        node.enter(s);
    }

    /** The node couldn't be reached: nothing was sent to it, so another may take the session. */
    void connectFailed(TcpSession s, Fault fault, Throwable cause) {
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
        TcpNode node = s.node;
        if (node == null) {
            // The session ended meanwhile.
            return;
        }
        s.report.heard(node, Heard.FAILURE);
        if (fault != Fault.OUT_OF_DESCRIPTORS) {
            node.faulted(s.trial);
            s.trial = false;
        }
        leaveNode(s);
        s.tried.add(node.index());
        loop.failures().node(node, fault, cause);
        int attempts = s.attempts;
        if (road.upstreams().of(plan.upstream()).mayTryAnother(attempts)) {
            balance(s, fault);
        } else {
            fail(s, fault);
        }
        if (s.attempts > attempts) {
            node.retried();
        }
    }

    /** The node's connection is open. */
    void connected(TcpSession s, Channel toNode) {
        TcpNode node = s.node;
        if (node == null) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
            toNode.close();
            return;
        }
        try {
            s.relay.prepareNode(toNode, listener.limits().writeBufferBytesMax());
            if (!listener.tcpKeepAlive()) {
                // Connections to nodes have it otherwise.
                toNode.config().setOption(ChannelOption.SO_KEEPALIVE, false);
            }
        } catch (ChannelException e) {
            // Reset as soon as it was there.
            toNode.close();
            connectFailed(s, Fault.CONNECT_FAILED, e);
            return;
        }
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
        s.report.answered(node, Heard.ANSWER);
        node.well(s.trial);
        s.trial = false;
        s.stage = Stage.PASSING;
        s.quietSinceNanos = loop.clock().nanos();
        loop.wheel().arm(s, lookNanos);
        s.relay.begin(toNode, headerFor(s, toNode));
    }

    private @Nullable ByteBuf headerFor(TcpSession s, Channel toNode) {
        ByteBuf header = switch (plan.sent()) {
            case NONE -> null;
            case V1 -> HeaderWriter.v1(toNode.alloc(), s.endpoints);
            case V2 -> HeaderWriter.v2(toNode.alloc(), s.endpoints);
        };
        if (header != null) {
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, header.readableBytes());
        }
        return header;
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
        leaveNode(s);
        road.ended(s);
    }

    private static void leaveNode(TcpSession s) {
        TcpNode node = s.node;
        if (node != null) {
            s.lastNode = node;
            s.node = null;
            node.undecided(s.trial);
            s.trial = false;
            node.leave(s);
        }
    }

    // What goes wrong

    /** The connection doesn't begin as it has to. */
    void headerRefused(TcpSession s, HeaderRefusal why) {
        loop.counters().refused(why);
        fail(s, Fault.PROXY_HEADER_REFUSED);
    }

    /** A deadline has passed. */
    void late(TcpSession s) {
        switch (s.stage) {
            case HEADER -> headerRefused(s, HeaderRefusal.LATE);
            case PASSING -> lookIfIdle(s);
            case ENDING -> s.relay.abort();
            case ACCEPTED, CONNECTING, ENDED -> {}
        }
    }

    private void lookIfIdle(TcpSession s) {
        long now = loop.clock().nanos();
        if (count(s)) {
            s.quietSinceNanos = now;
        } else {
            s.relay.quiet();
        }
        long leftNanos = listener.idleTimeoutNanos() - (now - s.quietSinceNanos);
        if (leftNanos <= 0) {
            fail(s, Fault.SESSION_IDLE);
        } else {
            loop.wheel().arm(s, Math.min(lookNanos, leftNanos));
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
