package net.oooops.sigma.tcp;

import net.oooops.sigma.config.ProxyProtocol;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.upstream.Upstream;

/**
 * What a Listener of TCP does with a session, compiled.
 *
 * @param listener its configuration
 * @param chain all plugins on the way, of server and proxy-pass
 * @param upstream where its sessions go
 * @param sent the PROXY protocol header that nodes get
 */
public record TcpListenerPlan(TcpListenerConfig listener, Chain chain, Upstream upstream, ProxyProtocol sent) {}
