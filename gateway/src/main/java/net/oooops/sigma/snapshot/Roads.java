package net.oooops.sigma.snapshot;

import net.oooops.sigma.bolt.BoltRoad;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.proxy.HttpRoad;
import net.oooops.sigma.proxy.Identity;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tcp.TcpRoad;
import net.oooops.sigma.udp.UdpRoad;
import net.oooops.sigma.udp.UdpSockets;
import org.jspecify.annotations.Nullable;

/** Makes the roads of each Worker. One for all Workers; for any thread, by one at a time. */
public final class Roads {
    private final Identity identity = Identity.random();
    private final HeldMemory.Total calls;
    private final HeldMemory.Total bodies;
    private final int headBytesMax;

    /** @param workerCount how many Workers share what may be held */
    public Roads(RuntimeConfig.Memory memory, int workerCount) {
        this.calls = new HeldMemory.Total(workerCount, memory.callBytesMax());
        this.bodies = new HeldMemory.Total(workerCount, memory.bodyBytesMax());
        this.headBytesMax = memory.headBytesMax();
    }

    /**
     * Those of one Worker.
     *
     * @param plan that they follow at first
     * @param sockets opens sockets of UDP on its event loop, null where the transport has none
     */
    public WorkerRoads on(LoopContext loop, GatewayPlan plan, @Nullable UdpSockets sockets) {
        return new WorkerRoads(
                new HttpRoad(loop, plan.http(), identity, bodies, headBytesMax),
                new TcpRoad(loop, plan.tcp()),
                new BoltRoad(loop, plan.bolt(), calls),
                new UdpRoad(loop, plan.udp(), sockets));
    }
}
