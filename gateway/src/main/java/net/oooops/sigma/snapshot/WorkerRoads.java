package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.bolt.BoltRoad;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.proxy.HttpRoad;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.Thrown;
import net.oooops.sigma.tcp.TcpRoad;
import net.oooops.sigma.udp.UdpRoad;
import net.oooops.sigma.upstream.Upstream;

/**
 * The roads of one Worker, and how they come to follow another plan.
 *
 * <p>Called on the Worker's event loop only, but for {@link #all}.
 */
public record WorkerRoads(HttpRoad http, TcpRoad tcp, BoltRoad bolt, UdpRoad udp) {
    /** All of them. Any thread. */
    public List<Road> all() {
        return List.of(http, tcp, bolt, udp);
    }

    /**
     * What begins from now on follows that plan. Where one road can't, by a fault of Sigma's own, all others do.
     *
     * @throws IllegalStateException where one can't, once all others have
     */
    public void follow(GatewayPlan plan) {
        Thrown thrown = new Thrown();
        thrown.attempt(() -> http.follow(plan.http()));
        thrown.attempt(() -> tcp.follow(plan.tcp()));
        thrown.attempt(() -> bolt.follow(plan.bolt()));
        thrown.attempt(() -> udp.follow(plan.udp()));
        thrown.attempt(this::endReplaced);
        thrown.end("a road doesn't follow");
    }

    /** What is gone from one road may have been replaced by what another one has. Datagrams come to a port of their own. */
    private void endReplaced() {
        List<Road> connecting = List.of(http, tcp, bolt);
        List<Listener> listeners = new ArrayList<>();
        for (Road road : connecting) {
            road.flows().present().forEach(flow -> listeners.add(flow.listener()));
        }
        connecting.forEach(road -> road.flows().endReplaced(listeners));
    }

    /** Nothing leads to that Upstream any more: its connections close. */
    public void retire(Upstream upstream) {
        all().forEach(road -> road.upstreams().retire(upstream));
    }
}
