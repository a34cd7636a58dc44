package net.oooops.sigma.proxy;

import java.util.Map;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.route.RouteTable;

/**
 * What a Listener does with a request, compiled.
 *
 * @param listener its configuration: address, limits, timeouts
 * @param routes all Routes of its Routers
 * @param unrouted the plan of requests that no Route takes: the server's plugins, no Upstream
 * @param errorPages what takes the place of Sigma's own error texts, by status
 */
public record HttpListenerPlan(
        ListenerConfig listener,
        RouteTable<RoutePlan> routes,
        RoutePlan unrouted,
        Map<Integer, ErrorPage> errorPages) {}
