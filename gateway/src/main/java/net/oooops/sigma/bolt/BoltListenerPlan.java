package net.oooops.sigma.bolt;

import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.route.CallRoutes;

/**
 * What a Listener of Bolt does with a call, compiled.
 *
 * @param listener its configuration
 * @param chain the plugins that see its connections
 * @param routes all Routes of its Routers
 */
public record BoltListenerPlan(BoltListenerConfig listener, Chain chain, CallRoutes<BoltRoutePlan> routes) {}
