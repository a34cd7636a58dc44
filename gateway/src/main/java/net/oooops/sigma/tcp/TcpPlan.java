package net.oooops.sigma.tcp;

import java.util.List;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do with sessions of TCP, compiled.
 *
 * @param listeners one for each {@code proxy-server.tcp}, then one for each of Bolt in mode {@code relay}
 * @param upstreams where sessions go
 */
public record TcpPlan(List<TcpListenerPlan> listeners, List<Upstream> upstreams) {
    public TcpPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }
}
