package net.oooops.sigma.flow;

import java.util.List;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.UpstreamConfig;

/**
 * What all Workers do, compiled from one sigma.json.
 *
 * @param listeners one for each {@code proxy-server.http}
 * @param upstreams in the order of {@link RoutePlan#upstream}
 * @param client pool sizes and timeouts of the servers' side
 */
public record GatewayPlan(List<ListenerPlan> listeners, List<UpstreamConfig> upstreams, ClientConfig client) {
    public GatewayPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }
}
