package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.upstream.Node;

/**
 * The road of a call through one Listener on one Worker: the stages in their order. Up to the frame that it begins with it is {@link BoltListener}'s.
 *
 * <pre>
 *   accept ─▶ opened (limit, plugins, TLS) ─▶ frame ─▶ limit ─▶ route ─▶ balance ─▶ node, link: sent ─▶ respond ─▶ end
 *                                               │                           ▲            │
 *                                               └ heartbeat: answered       └ connectFailed: another node
 *   fail: from anywhere; the client gets a response with a status that says why
 * </pre>
 *
 * Each call is balanced by itself; responses come back in whatever order nodes give them. A call that was sent to a node is not
 * sent again.
 *
 * <p>Called on the Worker's event loop only.
 */
final class BoltFlow {
    /** Beyond, exchanges that have ended are left to the garbage collector. */
    private static final int SPARE_MAX = 8192;

    private final BoltRoad road;
    private final BoltListener listener;
    private final LoopContext loop;
    private final ArrayDeque<BoltExchange> spare = new ArrayDeque<>();
    /** Shows frames that waited for a connection. */
    private final Frame waited = Frame.ofAnyLength();

    BoltFlow(BoltRoad road, BoltListener listener) {
        this.road = road;
        this.listener = listener;
        this.loop = road.loop();
    }

    BoltListener listener() {
        return listener;
    }

    // The stages of a call

    /** A frame came from a client. */
    void frame(BoltClient c, Frame frame, ByteBuf in) {
        if (frame.isResponse()) {
            listener.refused(c, FrameRefusal.UNASKED);
        } else if (frame.isHeartbeat()) {
            loop.counters().increment(Counter.BOLT_HEARTBEATS_ANSWERED);
            c.connection.write(frame, Status.SUCCESS);
        } else {
            request(c, frame, in);
        }
    }

    private void request(BoltClient c, Frame frame, ByteBuf in) {
        BoltExchange x = begin(c, frame);
        BoltCall call = road.call().of(frame, in);
        if (loop.isLogging()) {
            name(x, call);
        }
        if (c.callCount > listener.bounds().requestsInFlightMax()) {
            fail(x, Fault.OVERLOADED);
        } else {
            x.route = listener.plan().routes().match(call);
            balance(x, frame, in, Fault.NO_HEALTHY_NODE);
        }
        call.clear();
    }

    private BoltExchange begin(BoltClient c, Frame frame) {
        BoltExchange x = spare.pollLast();
        if (x == null) {
            x = new BoltExchange(this, listener.following());
        }
        x.begin(c, frame, loop.clock().nanos());
        x.following = listener.following().enter();
        c.add(x);
        loop.counters().increment(Counter.CALLS_IN_FLIGHT);
        return x;
    }

    private static void name(BoltExchange x, BoltCall call) {
        if (x.name.length == 0) {
            x.name = new byte[BoltExchange.NAME_BYTES_MAX];
        }
        x.nameBytes = call.copyName(x.name);
    }

    /** Gives it to a node that it wasn't tried on. */
    private void balance(BoltExchange x, Frame frame, ByteBuf in, Fault otherwise) {
        BoltRoutePlan route = x.route;
        if (route == null) {
            fail(x, Fault.NO_ROUTE);
            return;
        }
        if (x.attempts == 0) {
            loop.wheel().arm(x, timeoutNanos(route, frame));
        }
        Fault why = otherwise;
        x.passed.clear();
        while (true) {
            UpstreamGroup<BoltNode> upstream = road.upstreams().of(route.upstream());
            BoltNode node = upstream.pick(x, true);
            if (node == null && otherwise != Fault.NO_HEALTHY_NODE) {
                // Nothing was sent: a node that is thought to be away may be there all the same.
                node = upstream.pickAny(x);
            } else {
                x.trial = node == null ? Node.NO_TRIAL : upstream.trial();
            }
            if (node == null) {
                fail(x, why);
                return;
            }
            if (node.takes(x, frame, unsentBytesMax(frame.bytes()))) {
                x.attempts++;
                node.enter(x, frame, in);
                return;
            }
            why = Fault.POOL_OVERFLOW;
            node.undecided(x.trial);
            x.trial = Node.NO_TRIAL;
            x.passed.add(node.index());
        }
    }

    /** How much may wait to be sent to a node that gets this: where memory is short, no more than one that doesn't lag has. */
    private int unsentBytesMax(int frameBytes) {
        return road.memory().isShortForNodes()
                ? Math.max(listener.listener().limits().writeBufferBytesMax(), frameBytes)
                : listener.bounds().unsentBytesMax();
    }

    /** The shorter of the time that the route allows and the one that the request asks for, if it asks. */
    private static long timeoutNanos(BoltRoutePlan route, Frame frame) {
        int asked = frame.timeoutMillis();
        return asked <= 0 ? route.timeoutNanos() : Math.min(route.timeoutNanos(), TimeUnit.MILLISECONDS.toNanos(asked));
    }

    /** The node's connection couldn't be opened: nothing was sent, so another node may take the call. */
    void connectFailed(BoltExchange x, Fault why) {
        ByteBuf frame = x.waiting;
        BoltNode node = x.node;
        if (frame == null || node == null) {
            throw new IllegalStateException("a call that waits for no connection (expected: one that does)");
        }
        x.waiting = null;
        try {
            unreached(x, node, frame, why);
        } finally {
            frame.release();
        }
    }

    private void unreached(BoltExchange x, BoltNode node, ByteBuf frame, Fault why) {
        node.unreached();
        x.report.heard(node, Heard.FAILURE);
        judge(node, x, why);
        node.leave(x);
        x.tried.add(node.index());
        int attempts = x.attempts;
        if (x.route != null && road.upstreams().of(x.route.upstream()).mayTryAnother(attempts)) {
            waited.parse(frame);
            balance(x, waited, frame, why);
        } else {
            fail(x, why);
        }
        if (x.attempts > attempts) {
            node.retried();
        }
    }

    /** It was written to a node's connection. One that nobody awaits an answer to is over by that. */
    void sent(BoltExchange x, BoltLink link) {
        link.node().reached();
        BoltClient c = x.client;
        if (c != null && !link.isWritable() && !link.isRetired() && !hasBetter(x, link)) {
            c.holdFor(link);
        }
        if (x.oneWay) {
            link.node().well(x.trial);
            x.trial = Node.NO_TRIAL;
            link.node().leave(x);
            loop.counters().increment(Counter.CALLS_ONE_WAY);
            end(x, Status.SUCCESS.code());
        }
    }

    /** Whether another node would take a call at once, however short. */
    private boolean hasBetter(BoltExchange x, BoltLink link) {
        return link.node().hasBetter(x, x.form(), 1, unsentBytesMax(1));
    }

    /** Its response came. */
    void respond(BoltExchange x, BoltLink link, Frame response, ByteBuf in) {
        link.node().answered(x, BoltStatus.isFailure(response.status()));
        link.node().leave(x);
        BoltClient c = x.client;
        if (c != null) {
            c.connection.write(in, response, x.id());
        }
        x.responseBytes = response.bytes();
        boolean success = response.status() == Status.SUCCESS.code();
        loop.counters().increment(success ? Counter.CALLS_SUCCEEDED : Counter.CALLS_FAILED);
        end(x, response.status());
        if (c != null && !c.connection.isWritable()) {
            listener.lags(c);
        }
    }

    /** The call is over: its response, if any, is written. */
    private void end(BoltExchange x, int status) {
        loop.wheel().disarm(x);
        BoltClient c = x.client;
        if (c != null) {
            c.remove(x);
        }
        loop.counters().decrement(Counter.CALLS_IN_FLIGHT);
        road.ended(x, status);
        x.clear();
        if (spare.size() < SPARE_MAX) {
            spare.addLast(x);
        } else {
            loop.wheel().remove(x);
        }
    }

    // What goes wrong

    /** The call's time is over. */
    void late(BoltExchange x) {
        fail(x, Fault.UPSTREAM_TIMEOUT);
    }

    /** The call ends here: the client is told, if it waits. */
    void fail(BoltExchange x, Fault fault) {
        BoltLink link = x.link;
        if (link != null) {
            link.cancel(x);
        }
        BoltNode node = x.node;
        if (node != null) {
            if (fault.side() == Fault.Side.UPSTREAM) {
                x.report.heard(node, Heard.FAILURE);
            }
            judge(node, x, fault);
            node.leave(x);
        }
        x.fault = fault;
        Status status = BoltStatus.of(fault);
        BoltClient c = x.client;
        if (c != null && !x.oneWay) {
            c.connection.write(x, status);
        }
        loop.counters().failed(fault);
        loop.counters().increment(Counter.CALLS_UNANSWERED);
        end(x, status.code());
        if (c != null && !c.connection.isWritable()) {
            listener.lags(c);
        }
    }

    /** What a lost connection says of the node is said once, by the link; but a trial of a call's own has failed with it. */
    private static void judge(BoltNode node, BoltExchange x, Fault fault) {
        boolean lost = fault == Fault.UPSTREAM_CLOSED || fault == Fault.UPSTREAM_PROTOCOL || isUnreachable(fault);
        if (fault == Fault.UPSTREAM_TIMEOUT) {
            node.timedOut(x.trial);
        } else if (x.trial != Node.NO_TRIAL && lost) {
            node.faulted(x.trial);
        } else {
            node.undecided(x.trial);
        }
        x.trial = Node.NO_TRIAL;
    }

    private static boolean isUnreachable(Fault fault) {
        return fault == Fault.CONNECT_FAILED
                || fault == Fault.CONNECT_TIMEOUT
                || fault == Fault.TLS_FAILED
                || fault == Fault.DNS_FAILED;
    }
    /** A client waits for nothing any more: all of its calls fail. */
    void failAll(BoltClient c, Fault fault) {
        BoltExchange x = c.first;
        while (x != null) {
            fail(x, fault);
            x = c.first;
        }
    }
}
