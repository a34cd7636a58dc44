package net.oooops.sigma.flow;

import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.plugin.Chain;

/**
 * What a Listener of UDP does with a session, compiled.
 *
 * @param listener its configuration
 * @param chain all plugins on the way, of server and proxy-pass
 * @param upstream the Upstream's number in {@link GatewayPlan#udpUpstreams}
 * @param upstreamId the Upstream's id, for logs
 */
public record UdpListenerPlan(UdpListenerConfig listener, Chain chain, int upstream, String upstreamId) {}
