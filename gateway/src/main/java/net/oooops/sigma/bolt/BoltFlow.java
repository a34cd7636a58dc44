package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltListenerConfig.Bounds;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.SessionPlugins;
import net.oooops.sigma.runtime.UpstreamGroup;
import org.jspecify.annotations.Nullable;

/**
 * The road of a call through one Listener on one Worker: the stages in their order.
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
final class BoltFlow implements Flow {
    /** A client is looked at so many times in the length of its idle timeout, so that a frame costs no look at a clock. */
    private static final int LOOKS = 16;

    private static final long LOOK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    /** Beyond, exchanges that have ended are left to the garbage collector. */
    private static final int SPARE_MAX = 8192;

    private final BoltRoad road;
    private final LoopContext loop;
    private final BoltListenerPlan plan;
    private final Bounds bounds;
    private final long lookNanos;
    /** Null where connections are plain. */
    private final @Nullable ClientHandshakes handshakes;

    private final Set<BoltClient> clients = new LinkedHashSet<>();
    private final ArrayDeque<BoltExchange> spare = new ArrayDeque<>();
    /** Shows frames that waited for a connection. */
    private final Frame waited;

    BoltFlow(BoltRoad road, BoltListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.bounds = plan.listener().bounds();
        this.lookNanos = Math.clamp(bounds.idleTimeoutNanos() / LOOKS, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
        BoltListenerConfig listener = plan.listener();
        this.handshakes = plan.tls() == null
                ? null
                : new ClientHandshakes(loop, listener.id(), plan.tls(), listener.limits(), listener.timeouts());
        this.waited = new Frame(bounds.frameBytesMax());
    }

    BoltListenerPlan plan() {
        return plan;
    }

    FrameConnection connection(BoltClient client, Channel channel) {
        return new FrameConnection(
                client, channel, road.frames(), new FrameConnection.Accepted(null, bounds.frameBytesMax()));
    }

    // Connections

    @Override
    public void accept(Channel channel) {
        if (!Flow.isKnown(channel)) {
            // Reset before it was accepted: nobody waits for an answer.
            channel.close();
            return;
        }
        FrameConnection.prepare(channel, road.frames(), plan.listener().limits().writeBufferBytesMax());
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, bounds.tcpKeepAlive());
        channel.pipeline().addLast(new BoltClient(this, channel).connection);
    }

    /** The client's connection is open. */
    void opened(BoltClient c) {
        if (clients.size() >= loop.share(bounds.connectionsMax(), 1)) {
            loop.counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
            c.connection.abort();
            return;
        }
        c.counted = true;
        clients.add(c);
        loop.clientConnected();
        Fault refused = SessionPlugins.refusal(loop, plan.chain(), c);
        if (refused != null) {
            loop.counters().failed(refused);
            c.connection.abort();
            return;
        }
        if (handshakes == null) {
            ready(c);
        } else {
            handshakes.begin(c.connection.channel(), c);
        }
    }

    /** Calls may come. */
    void ready(BoltClient c) {
        c.quietSinceNanos = loop.clock().nanos();
        c.takenNanos = c.quietSinceNanos;
        loop.wheel().arm(c, lookNanos);
        c.connection.begin();
    }

    /** The client's connection can't be encrypted. */
    void unencrypted(BoltClient c) {
        loop.counters().failed(Fault.HANDSHAKE_FAILED);
        c.fault = Fault.HANDSHAKE_FAILED;
    }

    /** Time has passed. */
    void tick() {
        if (handshakes != null) {
            handshakes.tick();
        }
    }

    void received(int bytes) {
        loop.counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, bytes);
        road.memory().received(bytes);
    }

    // The stages of a call

    /** A frame came from a client. */
    void frame(BoltClient c, Frame frame, ByteBuf in) {
        if (frame.isResponse()) {
            refused(c, FrameRefusal.UNASKED);
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
        if (c.callCount > bounds.requestsInFlightMax()) {
            fail(x, Fault.OVERLOADED);
        } else {
            x.route = plan.routes().match(call);
            balance(x, frame, in, Fault.NO_HEALTHY_NODE);
        }
        call.clear();
    }

    private BoltExchange begin(BoltClient c, Frame frame) {
        BoltExchange x = spare.pollLast();
        if (x == null) {
            x = new BoltExchange(this);
        }
        x.begin(c, frame, loop.clock().nanos());
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
        while (true) {
            UpstreamGroup<BoltNode> upstream = road.upstreams().of(route.upstream());
            BoltNode node = upstream.pick(x, true);
            if (node == null && otherwise != Fault.NO_HEALTHY_NODE) {
                // Nothing was sent: a node that is thought to be away may be there all the same.
                node = upstream.pickAny(x);
            } else {
                x.trial = node != null && upstream.isTrial();
            }
            if (node == null) {
                fail(x, why);
                return;
            }
            if (node.takes(frame, unsentBytesMax(frame))) {
                x.attempts++;
                node.enter(x, frame, in);
                return;
            }
            why = Fault.POOL_OVERFLOW;
            node.undecided(x.trial);
            x.trial = false;
            x.tried.add(node.index());
        }
    }

    /** How much may wait to be sent to a node that gets this: where memory is short, no more than one that doesn't lag has. */
    private int unsentBytesMax(Frame frame) {
        return road.memory().isShortForNodes()
                ? Math.max(plan.listener().limits().writeBufferBytesMax(), frame.bytes())
                : bounds.unsentBytesMax();
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
        frame.release();
    }

    /** It was written to a node's connection. One that nobody awaits an answer to is over by that. */
    void sent(BoltExchange x, BoltLink link) {
        BoltClient c = x.client;
        if (c != null && !link.isWritable()) {
            c.holdFor(link);
        }
        if (x.oneWay) {
            link.node().well(x.trial);
            x.trial = false;
            link.node().leave(x);
            loop.counters().increment(Counter.CALLS_ONE_WAY);
            end(x, Status.SUCCESS.code());
        }
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
            lags(c);
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
            lags(c);
        }
    }

    /** What a lost connection says of the node is said once, by the link; but a trial of a call's own has failed with it. */
    private static void judge(BoltNode node, BoltExchange x, Fault fault) {
        boolean lost = fault == Fault.UPSTREAM_CLOSED || fault == Fault.UPSTREAM_PROTOCOL || isUnreachable(fault);
        if (fault == Fault.UPSTREAM_TIMEOUT) {
            node.timedOut(x.trial);
        } else if (x.trial && lost) {
            node.faulted(true);
        } else {
            node.undecided(x.trial);
        }
        x.trial = false;
    }

    private static boolean isUnreachable(Fault fault) {
        return fault == Fault.CONNECT_FAILED
                || fault == Fault.CONNECT_TIMEOUT
                || fault == Fault.TLS_FAILED
                || fault == Fault.DNS_FAILED;
    }

    /** A client doesn't take its responses: it isn't read, and what waits for it is bounded. */
    private void lags(BoltClient c) {
        c.readIfPossible();
        if (c.connection.isOpen() && c.connection.unsentBytes() > bounds.unsentBytesMax()) {
            stalled(c);
        }
    }

    private void stalled(BoltClient c) {
        cut(c, Fault.CLIENT_STALLED);
    }

    /** Resets a client, which is counted. */
    void cut(BoltClient c, Fault why) {
        loop.counters().failed(why);
        c.fault = why;
        c.connection.abort();
    }

    /** What came from a client isn't a frame that it may send. */
    void refused(BoltClient c, FrameRefusal why) {
        loop.counters().refused(why);
        loop.failures()
                .frame(why.label(), plan.listener().id(), c.clientAddress().text());
        c.fault = Fault.BAD_REQUEST;
        c.connection.close();
    }

    /** A fault of Sigma's own. */
    void thrown(BoltClient c, Throwable cause) {
        loop.thrown(cause);
        c.fault = Fault.INTERNAL;
    }

    /** The client's connection has ended, and with it all that it waits for. */
    void closed(BoltClient c) {
        loop.wheel().remove(c);
        BoltLink holder = c.heldBy;
        if (holder != null) {
            holder.forget(c);
        }
        Fault fault = c.fault == null ? Fault.CLIENT_GONE : c.fault;
        BoltExchange x = c.first;
        while (x != null) {
            fail(x, fault);
            x = c.first;
        }
        if (c.counted) {
            countSent(c);
            clients.remove(c);
            loop.clientDisconnected();
        }
    }

    private void countSent(BoltClient c) {
        loop.counters().add(Counter.DOWNSTREAM_BYTES_SENT, c.connection.takeWrittenBytes());
    }

    // Now and then

    /** Looks whether it is idle, or takes nothing of what it is sent. */
    void look(BoltClient c) {
        if (c.connection.isFinishing()) {
            c.connection.close();
            return;
        }
        WorkerCounters counters = loop.counters();
        long now = loop.clock().nanos();
        countSent(c);
        // Who still takes an answer, or is held back, has no way to be heard.
        boolean quiet = !c.heard && c.callCount == 0 && c.heldBy == null && c.connection.unsentBytes() == 0;
        if (!quiet) {
            c.quietSinceNanos = now;
        }
        c.heard = false;
        if (takesNothing(c, now)) {
            stalled(c);
        } else if (quiet && loop.isDraining()) {
            finish(c);
        } else if (now - c.quietSinceNanos >= bounds.idleTimeoutNanos()) {
            counters.increment(Counter.DOWNSTREAM_IDLE_TIMEOUTS);
            finish(c);
        } else {
            loop.wheel().arm(c, loop.isDraining() ? LOOK_NANOS_MIN : lookNanos);
        }
    }

    private boolean takesNothing(BoltClient c, long now) {
        long taken = c.connection.writtenBytes() - c.connection.unsentBytes();
        if (taken != c.takenBytes || c.connection.unsentBytes() == 0) {
            c.takenBytes = taken;
            c.takenNanos = now;
        }
        return now - c.takenNanos >= plan.listener().timeouts().sendStallNanos();
    }

    private void finish(BoltClient c) {
        c.connection.finish();
        loop.wheel().arm(c, plan.listener().timeouts().lingerNanos());
    }

    // The end of the gateway

    /** Clients that wait for nothing are closed, each at the first moment at which it does. */
    void drain() {
        clients.forEach(c -> loop.wheel().arm(c, LOOK_NANOS_MIN));
    }

    /** Ends all calls, and closes what is left. */
    void cut() {
        for (BoltClient c : List.copyOf(clients)) {
            BoltExchange x = c.first;
            while (x != null) {
                fail(x, Fault.SESSION_CUT);
                x = c.first;
            }
            c.connection.close();
        }
    }

    Set<BoltClient> clients() {
        return clients;
    }
}
