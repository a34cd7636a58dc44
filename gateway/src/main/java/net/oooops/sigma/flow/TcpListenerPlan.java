package net.oooops.sigma.flow;

import net.oooops.sigma.config.ProxyProtocol;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.plugin.Chain;

/**
 * What a Listener of TCP does with a session, compiled.
 *
 * @param listener its configuration
 * @param chain all plugins on the way, of server and proxy-pass
 * @param upstream the Upstream's number in {@link GatewayPlan#tcpUpstreams}
 * @param upstreamId the Upstream's id, for logs
 * @param sent the PROXY protocol header that nodes get
 */
public record TcpListenerPlan(
        TcpListenerConfig listener, Chain chain, int upstream, String upstreamId, ProxyProtocol sent) {}
