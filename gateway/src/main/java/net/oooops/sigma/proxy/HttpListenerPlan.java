package net.oooops.sigma.proxy;

import java.util.Map;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.route.RouteTable;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * What a Listener does with a request, compiled.
 *
 * @param listener its configuration: address, limits, timeouts
 * @param routes all Routes of its Routers
 * @param unrouted the plan of requests that no Route takes: the server's plugins, no Upstream
 * @param tls how its connections are encrypted; null where they are plain
 * @param errorPages what takes the place of Sigma's own error texts, by status
 */
public record HttpListenerPlan(
        ListenerConfig listener,
        RouteTable<RoutePlan> routes,
        RoutePlan unrouted,
        @Nullable ServerTls tls,
        Map<Integer, ErrorPage> errorPages) {}
