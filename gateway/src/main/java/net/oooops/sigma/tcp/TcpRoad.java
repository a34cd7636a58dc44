package net.oooops.sigma.tcp;

import java.util.List;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.Sessions;
import net.oooops.sigma.runtime.UpstreamGroups;

/**
 * What a Worker has of TCP: the flow of each Listener, and the sessions of clients.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class TcpRoad implements Road {
    private final LoopContext loop;
    private final UpstreamGroups<TcpNode> upstreams;
    private final Sessions sessions;
    private final List<TcpFlow> flows;

    /** Made before the event loop hears of it. */
    public TcpRoad(LoopContext loop, TcpPlan plan) {
        this.loop = loop;
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), TcpNode::new);
        this.sessions = new Sessions(loop);
        this.flows = plan.listeners().stream()
                .map(listener -> new TcpFlow(this, listener))
                .toList();
    }

    LoopContext loop() {
        return loop;
    }

    @Override
    public List<? extends Flow> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<TcpNode> upstreams() {
        return upstreams;
    }

    /** A session begins: its connection is counted among those of clients. */
    void began(TcpSession session) {
        loop.clientConnected();
        sessions.began(session);
    }

    /** The session is over: counted and logged. */
    void ended(TcpSession session) {
        loop.clientDisconnected();
        sessions.ended(session);
    }

    @Override
    public void tick() {
        flows.forEach(TcpFlow::tick);
    }

    @Override
    public void close() {
        sessions.cut();
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
