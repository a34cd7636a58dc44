package net.oooops.sigma.flow;

import java.util.List;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.UpstreamConfig;

/**
 * What all Workers do, compiled from one sigma.json.
 *
 * @param listeners one for each {@code proxy-server.http}
 * @param tcpListeners one for each {@code proxy-server.tcp}, then one for each of Bolt in mode {@code relay}
 * @param udpListeners one for each {@code proxy-server.udp}
 * @param httpUpstreams in the order of {@link RoutePlan#upstream}
 * @param tcpUpstreams in the order of {@link TcpListenerPlan#upstream}
 * @param udpUpstreams in the order of {@link UdpListenerPlan#upstream}
 * @param bolt what is done with Bolt in mode {@code route}
 * @param memory what may be held of messages
 * @param client pool sizes and timeouts of the servers' side
 */
public record GatewayPlan(
        List<ListenerPlan> listeners,
        List<TcpListenerPlan> tcpListeners,
        List<UdpListenerPlan> udpListeners,
        List<UpstreamConfig> httpUpstreams,
        List<UpstreamConfig> tcpUpstreams,
        List<UpstreamConfig> udpUpstreams,
        BoltPlan bolt,
        RuntimeConfig.Memory memory,
        ClientConfig client) {
    public GatewayPlan {
        listeners = List.copyOf(listeners);
        tcpListeners = List.copyOf(tcpListeners);
        udpListeners = List.copyOf(udpListeners);
        httpUpstreams = List.copyOf(httpUpstreams);
        tcpUpstreams = List.copyOf(tcpUpstreams);
        udpUpstreams = List.copyOf(udpUpstreams);
    }
}
