package net.oooops.sigma.udp;

import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.upstream.Upstream;

/**
 * What a Listener of UDP does with a session, compiled.
 *
 * @param listener its configuration
 * @param chain all plugins on the way, of server and proxy-pass
 * @param upstream where its sessions go
 */
public record UdpListenerPlan(UdpListenerConfig listener, Chain chain, Upstream upstream) {}
