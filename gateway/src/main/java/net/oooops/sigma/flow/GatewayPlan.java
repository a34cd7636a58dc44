package net.oooops.sigma.flow;

import java.util.List;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do, compiled from one sigma.json.
 *
 * @param listeners one for each {@code proxy-server.http}
 * @param tcpListeners one for each {@code proxy-server.tcp}, then one for each of Bolt in mode {@code relay}
 * @param udpListeners one for each {@code proxy-server.udp}
 * @param httpUpstreams where requests go
 * @param tcpUpstreams where sessions of TCP go
 * @param udpUpstreams where sessions of UDP go
 * @param bolt what is done with Bolt in mode {@code route}
 * @param memory what may be held of messages
 * @param client pool sizes and timeouts of the servers' side
 */
public record GatewayPlan(
        List<ListenerPlan> listeners,
        List<TcpListenerPlan> tcpListeners,
        List<UdpListenerPlan> udpListeners,
        List<Upstream> httpUpstreams,
        List<Upstream> tcpUpstreams,
        List<Upstream> udpUpstreams,
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
