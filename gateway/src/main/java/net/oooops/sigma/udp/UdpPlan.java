package net.oooops.sigma.udp;

import java.util.List;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do with datagrams, compiled.
 *
 * @param listeners one for each {@code proxy-server.udp}
 * @param upstreams where sessions go
 */
public record UdpPlan(List<UdpListenerPlan> listeners, List<Upstream> upstreams) {
    public UdpPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }
}
