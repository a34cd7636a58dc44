package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do with requests, compiled.
 *
 * @param listeners one for each {@code proxy-server.http} and {@code proxy-server.https}
 * @param upstreams where requests go
 * @param bodyBytesMax how much all Workers may hold of bodies that are collected whole
 * @param callees where plugins may ask without an exchange
 */
public record HttpPlan(
        List<HttpListenerPlan> listeners, List<Upstream> upstreams, int bodyBytesMax, CalleePlans callees) {
    public HttpPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }
}
