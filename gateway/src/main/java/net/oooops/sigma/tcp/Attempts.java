package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.ProxyProtocol;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * How a session comes to its node: one is picked and connected to, and where that fails another one is.
 *
 * <pre>
 *   begin ─▶ balance ─▶ (the connection is opened) ─▶ open (PROXY protocol) ─▶ (TLS) ─▶ connected: bytes may pass ─▶ leave ─▶ closed
 *               ▲                    │                                           │
 *               └────────────────── failed: another node, or the session fails ──┘
 * </pre>
 *
 * What the node's balancing and health are told of each attempt is told here, and nowhere else. A session takes room for one connection with its first
 * attempt, and gives it back when it has ended and that is closed.
 *
 * <p>Called on the Worker's event loop only.
 */
final class Attempts {
    private final TcpFlow flow;
    private final TcpRoad road;
    private final LoopContext loop;

    /** Those of the sessions of that flow. */
    Attempts(TcpFlow flow, TcpRoad road) {
        this.flow = flow;
        this.road = road;
        this.loop = road.loop();
    }

    /** It is known where the session goes. */
    void begin(TcpSession s, TcpRoutePlan route) {
        balance(s, route, Fault.NO_HEALTHY_NODE);
    }

    /** Picks a node that the session wasn't tried on. */
    private void balance(TcpSession s, TcpRoutePlan route, Fault otherwise) {
        UpstreamGroup<TcpNode> upstream = road.upstreams().of(route.upstream());
        TcpNode node = upstream.pick(s, true);
        if (node == null) {
            // Nothing was sent: a node that is thought to be away may be there all the same.
            node = upstream.pickAny(s);
        } else {
            s.trial = upstream.trial();
        }
        if (node == null) {
            flow.fail(s, otherwise);
            return;
        }
        if (!road.hasRoom(s, node)) {
            flow.fail(s, Fault.OUT_OF_DESCRIPTORS);
            return;
        }
        s.attempts++;
        s.node = node;
        node.enter(s);
    }

    /** The node couldn't be reached: nothing was sent to it, so another may take the session. */
    void failed(TcpSession s, Fault fault, Throwable cause) {
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
        TcpNode node = s.node;
        TcpRoutePlan route = s.route;
        closed(s);
        if (node == null || route == null) {
            // The session ended meanwhile.
            return;
        }
        node.unreached();
        s.report.heard(node, Heard.FAILURE);
        if (fault.side() == Fault.Side.UPSTREAM) {
            node.faulted(s.trial);
            s.trial = Node.NO_TRIAL;
        }
        leave(s);
        s.tried.add(node.index());
        loop.failures().node(node, fault, cause);
        int attempts = s.attempts;
        if (road.upstreams().of(route.upstream()).mayTryAnother(attempts)) {
            balance(s, route, fault);
        } else {
            flow.fail(s, fault);
        }
        if (s.attempts > attempts) {
            node.retried();
        }
    }

    /** The node's connection is open, and isn't encrypted yet. */
    void open(TcpSession s, Channel toNode) {
        TcpRoutePlan route = s.route;
        if (s.node == null || route == null) {
            return;
        }
        s.relay.prepareNode(toNode, flow.listener().limits().writeBufferBytesMax());
        if (!flow.listener().tcpKeepAlive()) {
            // Connections to nodes have it otherwise.
            toNode.config().setOption(ChannelOption.SO_KEEPALIVE, false);
        }
        ByteBuf header = headerFor(s, route.sent(), toNode);
        if (header != null) {
            toNode.write(header, toNode.voidPromise());
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, header.readableBytes());
        }
    }

    private static @Nullable ByteBuf headerFor(TcpSession s, ProxyProtocol sent, Channel toNode) {
        return switch (sent) {
            case NONE -> null;
            case V1 -> HeaderWriter.v1(toNode.alloc(), s.endpoints);
            case V2 -> HeaderWriter.v2(toNode.alloc(), s.endpoints);
        };
    }

    /** The node may be sent to. */
    void connected(TcpSession s, Channel toNode) {
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
        toNode.closeFuture().addListener(s);
        TcpNode node = s.node;
        if (node == null) {
            // The session ended meanwhile.
            toNode.close();
            return;
        }
        node.reached();
        s.report.answered(node, Heard.ANSWER);
        node.well(s.trial);
        s.trial = Node.NO_TRIAL;
        flow.passing(s, toNode);
    }

    /** The session needs no node any more, or another one. */
    void leave(TcpSession s) {
        TcpNode node = s.node;
        if (node != null) {
            s.lastNode = node;
            s.node = null;
            node.undecided(s.trial);
            s.trial = Node.NO_TRIAL;
            node.leave(s);
        }
    }

    /** The connection to its node is closed. */
    void closed(TcpSession s) {
        road.nodeClosed(s);
    }
}
