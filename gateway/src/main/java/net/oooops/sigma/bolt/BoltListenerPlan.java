package net.oooops.sigma.bolt;

import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.route.CallRoutes;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * What a Listener of Bolt does with a call, compiled.
 *
 * @param listener its configuration
 * @param chain the plugins that see its connections
 * @param routes all Routes of its Routers
 * @param tls how TLS ends here; null where connections are plain
 */
public record BoltListenerPlan(
        BoltListenerConfig listener,
        Chain chain,
        CallRoutes<BoltRoutePlan> routes,
        @Nullable ServerTls tls) {}
