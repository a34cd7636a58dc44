package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.WebSocketKey;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;

/**
 * Exchanges whose protocol is switched (RFC 9110 section 7.8): WebSockets, and whatever else a proxy-pass allows. A request that asks for it
 * is one like any other until its node answers 101. Then both its bodies go on without framing.
 *
 * <pre>
 *   ask ─▶ (sent, as any request) ─▶ 101 ─▶ begin ─▶ bytes both ways ─▶ one side ends ─▶ the other one does ─▶ end
 *                                └▶ any other answer: the client gets that
 *   drain, lifetime: a WebSocket is told that Sigma is going away, and has the time to close
 *   idle, reset, end of the drain: both sides are reset
 * </pre>
 *
 * <p>Belongs to one Worker. Knows nothing of how a version of HTTP carries a tunnel.
 */
final class Tunnels {
    private final LoopContext loop;
    private final HttpProxy proxy;

    Tunnels(HttpRoad road, HttpProxy proxy) {
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** A request is about to be sent: where it asks for a protocol that its proxy-pass allows, its node is asked for that. */
    void ask(HttpExchange x) {
        if (x.request.head.asksForProtocol()
                && !x.request.head.chooseProtocol(x.plan.tunnel().protocols())) {
            loop.counters().increment(Counter.UPGRADES_IGNORED);
        }
    }

    /** Whether the client has begun its handshake as it has to, where that isn't the node's to judge (RFC 6455 section 4.2.1). */
    static boolean isAnswerable(HttpRequestHead head, ClientStream client) {
        boolean answeredHere = client.asksInHttp2() && !head.isHttp2() && head.protocol.is(WebSocketKey.WEBSOCKET);
        return !answeredHere || WebSocketKey.isOne(head.value(WebSocketKey.KEY));
    }

    /** The node has switched, and all plugins have let that pass. */
    void begin(HttpExchange x) {
        Tunnel tunnel = new Tunnel(this, x, loop.clock().nanos());
        x.tunnel = tunnel;
        x.stage = Stage.ANSWERING;
        x.request.goOn();
        x.response.body.replaced();
        loop.counters().increment(Counter.TUNNELS);
        loop.counters().increment(Counter.TUNNELS_IN_FLIGHT);
        HttpNode node = x.attempt.node();
        if (node != null) {
            node.finished(x.attempt);
        }
        arm(x, tunnel, loop.clock().nanos());
        proxy.responses.switchProtocols(x);
        if (isUnderWay(x, tunnel)) {
            // What the node has sent since.
            proxy.responses.goOn(x);
        }
        if (isUnderWay(x, tunnel)) {
            x.stream.flush();
        }
        if (isUnderWay(x, tunnel) && proxy.endsTunnels()) {
            drain(x);
        }
    }

    private static boolean isUnderWay(HttpExchange x, Tunnel tunnel) {
        return x.tunnel == tunnel && x.stage == Stage.ANSWERING;
    }

    // How it ends

    /** The client has ended its output. */
    void clientEnded(HttpExchange x, Tunnel tunnel) {
        ClientStream client = x.attempt.client();
        x.request.complete();
        if (client != null) {
            client.end(null);
        }
        if (tunnel.isLeaving() && isUnderWay(x, tunnel)) {
            x.stream.end(null);
        }
    }

    /** The node has ended its output. */
    void nodeEnded(HttpExchange x) {
        Tunnel tunnel = x.tunnel;
        x.response.complete(null);
        boolean passes = x.stage == Stage.ANSWERING && !x.response.body.isWaiting();
        if (passes && tunnel != null && !tunnel.awaitsClose()) {
            x.stream.end(null);
        }
    }

    /** The node has got the end of what the client said. */
    void nodeEndSent(HttpExchange x, Tunnel tunnel) {
        tunnel.nodeEndSent();
        endSent(x, tunnel);
    }

    /** The client has got the end of what the node said. */
    void clientEndSent(HttpExchange x, Tunnel tunnel) {
        tunnel.clientEndSent();
        endSent(x, tunnel);
    }

    private void endSent(HttpExchange x, Tunnel tunnel) {
        if (tunnel.isEnded()) {
            end(x, tunnel);
        } else {
            long now = loop.clock().nanos();
            tunnel.seen(now);
            arm(x, tunnel, now);
        }
    }

    /** Both sides have ended, or one has, and the other is gone or says nothing. */
    private void end(HttpExchange x, Tunnel tunnel) {
        if (!tunnel.end()) {
            return;
        }
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.end(null);
        }
        proxy.tries.leaveNode(x, false);
        x.stream.end(null);
        proxy.exchanges.end(x);
    }

    /** The client's connection is closed. Before it had ended its output that is a reset. */
    void clientGone(HttpExchange x, Tunnel tunnel) {
        if (x.request.isComplete() || tunnel.isLeaving()) {
            end(x, tunnel);
        } else {
            proxy.failing.fail(x, Fault.CLIENT_GONE, "");
        }
    }

    /** The node's connection is closed. Before it had ended its output that is a reset. */
    void nodeGone(HttpExchange x, Tunnel tunnel, Fault why) {
        HttpNode node = x.attempt.node();
        if (x.response.isComplete() || tunnel.awaitsClose()) {
            end(x, tunnel);
        } else {
            // Nothing is held against the node: it answered.
            proxy.failing.fail(x, why, node == null ? "" : node.name());
        }
    }

    /** The exchange is over. */
    void ended(Tunnel tunnel) {
        loop.wheel().remove(tunnel);
        loop.counters().decrement(Counter.TUNNELS_IN_FLIGHT);
    }

    // Its times

    /** Bytes came from either side, and were passed on. */
    void seen(HttpExchange x, Tunnel tunnel) {
        tunnel.seen(loop.clock().nanos());
        if (tunnel.isLeaving() && tunnel.hasClientClosed() && x.stage == Stage.ANSWERING) {
            closed(x);
        }
    }

    /** The gateway is stopping, or the Listener is gone. */
    void drain(HttpExchange x) {
        if (proxy.endsTunnels()) {
            leave(x);
        }
    }

    /** Says that it is to end, where there is a way to. */
    private void leave(HttpExchange x) {
        Tunnel tunnel = x.tunnel;
        if (tunnel != null && x.stage == Stage.ANSWERING && tunnel.canSayGoodbye() && !tunnel.isLeaving()) {
            long now = loop.clock().nanos();
            tunnel.leave(x.stream, x.attempt.client(), now);
            if (isUnderWay(x, tunnel)) {
                // It ends as it was told, also where the drain is called off.
                arm(x, tunnel, now);
            }
        }
    }

    /** The client of a WebSocket knows that Sigma is going away, and has closed in its turn: the rest is for the connections to end. */
    private static void closed(HttpExchange x) {
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.end(null);
        }
        x.stream.end(null);
    }

    /** Time has passed. */
    void look(HttpExchange x, Tunnel tunnel) {
        if (!isUnderWay(x, tunnel)) {
            return;
        }
        long now = loop.clock().nanos();
        TunnelPlan plan = x.plan.tunnel();
        if (tunnel.quietNanos(now) >= plan.idleNanos()) {
            loop.counters().increment(Counter.TUNNELS_IDLE_TIMEOUTS);
            proxy.failing.fail(x, Fault.SESSION_IDLE, "timeout.tunnel-idle");
        } else if (tunnel.isHalfEnded() && !isBusy(x, tunnel) && tunnel.quietNanos(now) >= lingerNanos()) {
            end(x, tunnel);
        } else if (tunnel.drains() && tunnel.leavingNanos(now) >= drainNanos()) {
            proxy.failing.fail(x, Fault.REQUEST_CUT, "timeouts.drain");
        } else if (tunnel.isExpired() && tunnel.expiredNanos(now) >= lingerNanos()) {
            expired(x);
        } else if (!tunnel.isExpired() && isOld(plan, tunnel, now)) {
            expire(x, tunnel, now);
        } else {
            arm(x, tunnel, now);
        }
    }

    private static boolean isOld(TunnelPlan plan, Tunnel tunnel, long now) {
        return plan.lifetimeNanos() > 0 && tunnel.ageNanos(now) >= plan.lifetimeNanos();
    }

    private void expire(HttpExchange x, Tunnel tunnel, long now) {
        tunnel.expire(now);
        if (!tunnel.canSayGoodbye()) {
            expired(x);
            return;
        }
        leave(x);
        if (isUnderWay(x, tunnel)) {
            // It may have been told before.
            arm(x, tunnel, now);
        }
    }

    private void expired(HttpExchange x) {
        proxy.failing.fail(x, Fault.TUNNEL_EXPIRED, "timeout.tunnel-lifetime");
    }

    /** Whether one side still has to take what the other one sent. */
    private static boolean isBusy(HttpExchange x, Tunnel tunnel) {
        ClientStream client = x.attempt.client();
        boolean clientTakes = tunnel.isClientEndSent() || (!x.response.body.isWaiting() && x.stream.isWritable());
        boolean nodeTakes = tunnel.isNodeEndSent() || client == null || client.isWritable();
        return !clientTakes || !nodeTakes;
    }

    private void arm(HttpExchange x, Tunnel tunnel, long now) {
        TunnelPlan plan = x.plan.tunnel();
        long nanos = plan.idleNanos() - tunnel.quietNanos(now);
        if (tunnel.isHalfEnded()) {
            nanos = Math.min(nanos, lingerNanos());
        }
        if (tunnel.isExpired()) {
            nanos = Math.min(nanos, lingerNanos() - tunnel.expiredNanos(now));
        } else if (plan.lifetimeNanos() > 0) {
            nanos = Math.min(nanos, plan.lifetimeNanos() - tunnel.ageNanos(now));
        }
        if (tunnel.drains()) {
            nanos = Math.min(nanos, drainNanos() - tunnel.leavingNanos(now));
        }
        loop.wheel().arm(tunnel, nanos);
    }

    private long drainNanos() {
        return proxy.plan.listener().timeouts().drainNanos();
    }

    private long lingerNanos() {
        return proxy.plan.listener().timeouts().lingerNanos();
    }
}
