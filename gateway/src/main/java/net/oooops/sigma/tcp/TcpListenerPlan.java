package net.oooops.sigma.tcp;

import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.route.HelloRoutes;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * What a Listener of TCP does with a session, compiled.
 *
 * @param listener its configuration
 * @param chain the plugins of the server
 * @param routes where its sessions go
 * @param tls how it ends TLS; null where it doesn't
 */
public record TcpListenerPlan(
        TcpListenerConfig listener,
        Chain chain,
        HelloRoutes<TcpRoutePlan> routes,
        @Nullable ServerTls tls) {}
