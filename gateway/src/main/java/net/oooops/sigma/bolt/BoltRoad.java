package net.oooops.sigma.bolt;

import java.util.List;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroups;

/**
 * What a Worker has of Bolt: the flow of each Listener with its clients, and the links to nodes that they share.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class BoltRoad implements Road {
    private final LoopContext loop;
    private final BoltPlan plan;
    private final UpstreamGroups<BoltNode> upstreams;
    private final List<BoltFlow> flows;
    private final CallMemory memory;
    private final FrameConnection.Shared frames;
    private final BoltCall call = new BoltCall();
    private final BoltRecord record = new BoltRecord();

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
        this.flows = plan.listeners().stream()
                .map(listener -> new BoltFlow(this, listener))
                .toList();
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
    public List<BoltFlow> flows() {
        return flows;
    }

    @Override
    public UpstreamGroups<BoltNode> upstreams() {
        return upstreams;
    }

    @Override
    public void tick() {
        memory.tick();
        flows.forEach(BoltFlow::tick);
    }

    @Override
    public void drain() {
        flows.forEach(BoltFlow::drain);
    }

    @Override
    public void close() {
        flows.forEach(BoltFlow::cut);
    }

    @Override
    public int connectionCount() {
        int count = 0;
        for (BoltFlow flow : flows) {
            count += flow.clients().size();
        }
        return count;
    }

    /** A call is over: logged. */
    void ended(BoltExchange x, int status) {
        if (loop.isLogging()) {
            loop.log(record.of(x, status, loop.clock().nanos()));
        }
    }
}
