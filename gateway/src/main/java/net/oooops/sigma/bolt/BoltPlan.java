package net.oooops.sigma.bolt;

import java.util.List;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do with Bolt in mode {@code route}.
 *
 * @param listeners one for each Listener
 * @param upstreams where calls go
 * @param config how nodes are connected to
 */
public record BoltPlan(List<BoltListenerPlan> listeners, List<Upstream> upstreams, BoltConfig config) {
    public BoltPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }
}
