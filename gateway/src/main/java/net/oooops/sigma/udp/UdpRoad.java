package net.oooops.sigma.udp;

import java.net.InetSocketAddress;
import java.util.Objects;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.Flows;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.Sessions;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Slots;
import org.jspecify.annotations.Nullable;

/**
 * What a Worker has of UDP: the flow of each Listener, and the sessions of clients.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class UdpRoad implements Road {
    private final LoopContext loop;
    private final @Nullable UdpSockets sockets;
    private final UpstreamGroups<UdpNode> upstreams;
    private final Sessions sessions;
    private final Slots slots;
    private final Flows<UdpFlow, UdpListenerPlan> flows;

    /**
     * Made before the event loop hears of it.
     *
     * @param sockets opens sockets on that event loop; null where the transport has none of UDP
     */
    public UdpRoad(LoopContext loop, UdpPlan plan, @Nullable UdpSockets sockets) {
        this.loop = loop;
        this.sockets = sockets;
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), UdpNode::new);
        this.sessions = new Sessions(loop);
        this.slots = new Slots(
                loop.nodes().descriptors().sessions(),
                loop.nodes().descriptors().nodes());
        this.flows = new Flows<>(loop, each -> new UdpFlow(this, each), UdpListenerPlan::listener);
        this.flows.follow(plan.listeners());
    }

    /** Sessions that begin from now on follow that plan. Upstreams that it has no more stay, for those that there are. */
    public void follow(UdpPlan plan) {
        try {
            upstreams.follow(plan.upstreams());
        } finally {
            // What is new leads to those that do follow.
            flows.follow(plan.listeners());
        }
    }

    LoopContext loop() {
        return loop;
    }

    UdpSockets sockets() {
        return Objects.requireNonNull(sockets, "no UDP on this transport");
    }

    @Override
    public Flows<UdpFlow, UdpListenerPlan> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<UdpNode> upstreams() {
        return upstreams;
    }

    /** Takes what one more session needs; the bound that has no room for it, else null. */
    @Nullable Bound take() {
        return slots.take(false);
    }

    /** A session begins, for which there was room, by what those follow: it has no connection. */
    void began(UdpSession session, Generation.Followers following) {
        loop.counters().increment(Counter.UDP_SESSIONS_IN_FLIGHT);
        sessions.began(session, following);
    }

    /** The flow whose clients those are that send to that address from now on; null where there is none. */
    @Nullable UdpFlow taking(InetSocketAddress local) {
        for (UdpFlow flow : flows.present()) {
            if (flow.takes(local)) {
                return flow;
            }
        }
        return null;
    }

    /** Ends the sessions of one Listener, and those by its sockets. */
    void cut(UdpFlow of) {
        sessions.cut(session -> session instanceof UdpSession s && (s.flow == of || s.port.flow() == of));
    }

    /** The session is over: counted and logged. */
    void ended(UdpSession session) {
        loop.counters().decrement(Counter.UDP_SESSIONS_IN_FLIGHT);
        sessions.ended(session);
        slots.give();
    }

    @Override
    public void close() {
        flows.cut();
        flows.all().forEach(UdpFlow::close);
    }

    @Override
    public int connectionCount() {
        return sessions.count();
    }

    @Override
    public long waitingBytes() {
        return sessions.waitingBytes();
    }

    @Override
    public void onMemoryShort() {
        sessions.onMemoryShort();
    }
}
