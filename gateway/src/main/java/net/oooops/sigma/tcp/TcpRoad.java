package net.oooops.sigma.tcp;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.Flows;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.Sessions;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Slots;

/**
 * What a Worker has of TCP: the flow of each Listener, and the sessions of clients.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class TcpRoad implements Road {
    private final LoopContext loop;
    private final UpstreamGroups<TcpNode> upstreams;
    private final Sessions sessions;
    private final Slots slots;
    private final Flows<TcpFlow, TcpListenerPlan> flows;

    /** Made before the event loop hears of it. */
    public TcpRoad(LoopContext loop, TcpPlan plan) {
        this.loop = loop;
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), TcpNode::new);
        this.sessions = new Sessions(loop);
        this.slots = new Slots(null, loop.nodes().descriptors().nodes());
        this.flows = new Flows<>(loop, each -> new TcpFlow(this, each), TcpListenerPlan::listener);
        this.flows.follow(plan.listeners());
    }

    /** Sessions that begin from now on follow that plan. Upstreams that it has no more stay, for those that there are. */
    public void follow(TcpPlan plan) {
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

    /** Whether there is room for a connection of that session to that node, which it has to its end then; else that is counted and said. */
    boolean hasRoom(TcpSession session, TcpNode node) {
        Bound full = session.hasSlot ? null : slots.take(false);
        if (full == null) {
            session.hasSlot = true;
            return true;
        }
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
        loop.failures().node(node, Fault.OUT_OF_DESCRIPTORS, Descriptors.noRoom(full.count()));
        node.undecided(session.trial);
        session.trial = Node.NO_TRIAL;
        return false;
    }

    @Override
    public Flows<TcpFlow, TcpListenerPlan> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<TcpNode> upstreams() {
        return upstreams;
    }

    /** A session begins, by what those follow: its connection is counted among those of clients. */
    void began(TcpSession session, Generation.Followers following) {
        loop.clientConnected();
        sessions.began(session, following);
    }

    /** Ends the sessions of one Listener. */
    void cut(TcpFlow of) {
        sessions.cut(session -> session instanceof TcpSession s && s.flow == of);
    }

    /** The session is over: counted and logged. */
    void ended(TcpSession session) {
        loop.clientDisconnected();
        sessions.ended(session);
        giveRoom(session);
    }

    /** Its connection to a node has no descriptor any more. */
    void nodeClosed(TcpSession session) {
        session.hasNodeSocket = false;
        giveRoom(session);
    }

    /** What it took for that is another's once it is over, and that is closed. */
    private void giveRoom(TcpSession session) {
        if (session.stage == TcpSession.Stage.ENDED && session.hasSlot && !session.hasNodeSocket) {
            session.hasSlot = false;
            slots.give();
        }
    }

    @Override
    public void tick() {
        flows.all().forEach(TcpFlow::tick);
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
