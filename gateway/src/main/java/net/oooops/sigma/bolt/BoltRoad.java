package net.oooops.sigma.bolt;

import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.runtime.Flows;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.UpstreamGroups;

/**
 * What a Worker has of Bolt: the flow of each Listener with its clients, and the links to nodes that they share.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class BoltRoad implements Road {
    private final LoopContext loop;
    private final UpstreamGroups<BoltNode> upstreams;
    private final Flows<BoltListener, BoltListenerPlan> flows;
    private final CallMemory memory;
    private final FrameConnection.Shared frames;
    private final BoltCall call = new BoltCall();
    private final BoltRecord record = new BoltRecord();
    private BoltPlan plan;

    /**
     * Made before the event loop hears of it.
     *
     * @param calls what all Workers hold of calls
     */
    public BoltRoad(LoopContext loop, BoltPlan plan, HeldMemory.Total calls) {
        this.loop = loop;
        this.plan = plan;
        this.upstreams = new UpstreamGroups<>(loop, plan.upstreams(), (place, node) -> new BoltNode(this, place, node));
        this.memory = new CallMemory(this, calls);
        this.frames = new FrameConnection.Shared(new FlushTurn(loop.eventLoop()), new FrameWriter(), memory.reads());
        this.flows = new Flows<>(loop, each -> new BoltListener(this, each), BoltListenerPlan::listener);
        this.flows.follow(plan.listeners());
    }

    /** Calls that begin from now on follow that plan. Upstreams that it has no more stay, for those that are under way. */
    public void follow(BoltPlan next) {
        plan = next;
        try {
            upstreams.follow(next.upstreams());
        } finally {
            // What is new leads to those that do follow.
            flows.follow(next.listeners());
            followBounds();
        }
    }

    private void followBounds() {
        for (UpstreamGroup<BoltNode> upstream : upstreams.all()) {
            upstream.nodes().forEach(BoltNode::followBounds);
        }
    }

    // Connections to nodes are shared: they allow what the most generous Listener does, be it one that drains.

    /** About how many bytes may wait to be sent to a node before the clients that they come from aren't read. */
    int writeBufferBytesMax() {
        int most = 0;
        for (BoltListener each : flows.all()) {
            most = Math.max(most, each.listener().limits().writeBufferBytesMax());
        }
        return most;
    }

    /** How many bytes may wait to be sent to a node at all. */
    int unsentBytesMax() {
        int most = 0;
        for (BoltListener each : flows.all()) {
            most = Math.max(most, each.bounds().unsentBytesMax());
        }
        return most;
    }

    /** How long a frame of a node may be; 0 where there is no Listener by now. */
    int frameBytesMax() {
        int most = 0;
        for (BoltListener each : flows.all()) {
            most = Math.max(most, each.bounds().frameBytesMax());
        }
        return most;
    }

    LoopContext loop() {
        return loop;
    }

    BoltPlan plan() {
        return plan;
    }

    CallMemory memory() {
        return memory;
    }

    /** What all connections share. */
    FrameConnection.Shared frames() {
        return frames;
    }

    /** Shows one request after the other. */
    BoltCall call() {
        return call;
    }

    @Override
    public Flows<BoltListener, BoltListenerPlan> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<BoltNode> upstreams() {
        return upstreams;
    }

    @Override
    public void tick() {
        memory.tick();
        flows.all().forEach(BoltListener::tick);
    }

    @Override
    public int connectionCount() {
        int count = 0;
        for (BoltListener flow : flows.all()) {
            count += flow.clients().size();
        }
        return count;
    }

    /** A call is over: logged. */
    void ended(BoltExchange x, int status) {
        if (loop.isLogging()) {
            loop.log(record.of(x, status, loop.clock().nanos()));
        }
        x.following.leave();
    }
}
