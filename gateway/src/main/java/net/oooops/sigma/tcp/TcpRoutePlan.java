package net.oooops.sigma.tcp;

import net.oooops.sigma.config.ProxyProtocol;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.upstream.Upstream;

/**
 * Where sessions go, compiled.
 *
 * @param id of the route; empty for where a server leads by itself
 * @param proxyPassId of the proxy-pass
 * @param chain the plugins of its proxy-pass
 * @param upstream where its sessions go
 * @param sent the PROXY protocol header that nodes get
 */
public record TcpRoutePlan(String id, String proxyPassId, Chain chain, Upstream upstream, ProxyProtocol sent) {}
