package net.oooops.sigma.bolt;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltListenerConfig.Bounds;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.ListenerFlow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.SessionPlugins;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * One Listener of Bolt on one Worker, up to where a call begins: its clients' connections, from accepting to their end. What becomes of calls is {@link
 * BoltFlow}'s.
 *
 * <p>Called on the Worker's event loop only.
 */
final class BoltListener implements Flow, ListenerFlow<BoltListenerPlan> {
    /** A client is looked at so many times in the length of its idle timeout, so that a frame costs no look at a clock. */
    private static final int LOOKS = 16;

    private static final long LOOK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private final BoltRoad road;
    private final LoopContext loop;
    private final BoltFlow flow;
    /** Null where connections are plain. */
    private final @Nullable ClientHandshakes handshakes;

    private final Set<BoltClient> clients = new LinkedHashSet<>();
    private BoltListenerPlan plan;
    /** Those that follow the configuration which that is from. */
    private Generation.Followers following;

    private Bounds bounds;
    private long lookNanos;
    private boolean draining;

    BoltListener(BoltRoad road, BoltListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.following = loop.following();
        this.bounds = plan.listener().bounds();
        this.lookNanos = lookNanos();
        this.flow = new BoltFlow(road, this);
        BoltListenerConfig listener = plan.listener();
        this.handshakes = plan.tls() == null
                ? null
                : new ClientHandshakes(loop, listener.id(), plan.tls(), listener.limits(), listener.timeouts());
    }

    /** What becomes of calls. */
    BoltFlow flow() {
        return flow;
    }

    BoltListenerPlan plan() {
        return plan;
    }

    /** Those that follow the configuration which that is from. */
    Generation.Followers following() {
        return following;
    }

    Bounds bounds() {
        return bounds;
    }

    private long lookNanos() {
        return Math.clamp(bounds.idleTimeoutNanos() / LOOKS, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

    @Override
    public BoltListenerConfig listener() {
        return plan.listener();
    }

    /** A plain connection doesn't become an encrypted one, and what is asked in handshakes wasn't asked of those that are there. */
    @Override
    public boolean canFollow(BoltListenerPlan next) {
        return ServerTls.asksTheSame(next.tls(), plan.tls());
    }

    @Override
    public void follow(BoltListenerPlan next) {
        BoltListenerConfig listener = next.listener();
        plan = next;
        following = loop.following();
        draining = false;
        bounds = listener.bounds();
        lookNanos = lookNanos();
        for (BoltClient c : clients) {
            c.sending.within(listener.timeouts().sendStallNanos());
            c.connection.limit(bounds.frameBytesMax());
        }
        if (handshakes != null && next.tls() != null) {
            handshakes.follow(next.tls(), listener.limits(), listener.timeouts());
        }
    }

    @Override
    public int connectionCount() {
        return clients.size();
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
        c.ready = true;
        c.quietSinceNanos = loop.clock().nanos();
        c.sending.begin(0, c.quietSinceNanos);
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

    // What goes wrong

    /** A client doesn't take its responses: it isn't read, and what waits for it is bounded. */
    void lags(BoltClient c) {
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
        flow.failAll(c, fault);
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
        } else if (quiet && draining) {
            finish(c);
        } else if (now - c.quietSinceNanos >= bounds.idleTimeoutNanos()) {
            counters.increment(Counter.DOWNSTREAM_IDLE_TIMEOUTS);
            finish(c);
        } else {
            loop.wheel().arm(c, draining ? LOOK_NANOS_MIN : lookNanos);
        }
    }

    private boolean takesNothing(BoltClient c, long now) {
        long unsent = c.connection.unsentBytes();
        long taken = c.connection.writtenBytes() - unsent;
        if (unsent == 0) {
            c.sending.begin(taken, now);
            return false;
        }
        return c.sending.look(taken, now) == 0;
    }

    private void finish(BoltClient c) {
        c.connection.finish();
        loop.wheel().arm(c, plan.listener().timeouts().lingerNanos());
    }

    // The end of the gateway

    /** Clients that wait for nothing are closed, each at the first moment at which it does. Handshakes go on: who has been let in is answered. */
    @Override
    public void drain() {
        draining = true;
        if (handshakes != null) {
            handshakes.drain(plan.listener().timeouts().drainIdleNanos());
        }
        for (BoltClient c : clients) {
            if (c.ready) {
                loop.wheel().arm(c, LOOK_NANOS_MIN);
            }
        }
    }

    @Override
    public void replaced() {
        if (handshakes != null) {
            handshakes.endAll();
        }
    }

    @Override
    public void resume() {
        draining = false;
        if (handshakes != null) {
            handshakes.resume();
        }
    }

    /** Ends all calls, and closes what is left. */
    @Override
    public void cut() {
        for (BoltClient c : List.copyOf(clients)) {
            flow.failAll(c, Fault.SESSION_CUT);
            c.connection.close();
        }
    }

    Set<BoltClient> clients() {
        return clients;
    }
}
