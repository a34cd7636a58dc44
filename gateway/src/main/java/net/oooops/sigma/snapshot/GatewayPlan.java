package net.oooops.sigma.snapshot;

import net.oooops.sigma.bolt.BoltPlan;
import net.oooops.sigma.proxy.HttpPlan;
import net.oooops.sigma.tcp.TcpPlan;
import net.oooops.sigma.udp.UdpPlan;

/**
 * What all Workers do, compiled from one sigma.json.
 *
 * @param http what is done with requests
 * @param tcp what is done with sessions of TCP
 * @param udp what is done with datagrams
 * @param bolt what is done with calls of Bolt in mode {@code route}
 */
public record GatewayPlan(HttpPlan http, TcpPlan tcp, UdpPlan udp, BoltPlan bolt) {}
