package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One sigma.json that was found valid: every default is filled in, every reference leads somewhere, and parts with
 * {@code "enable": false} are gone. Immutable.
 *
 * @param listeners the servers of {@code proxy-server.http}, in the order written
 * @param tcpListeners those of {@code proxy-server.tcp}, then those of {@code proxy-server.bolt} in mode {@code relay}
 * @param bolt what is said of Bolt in mode {@code route}
 * @param udpListeners those of {@code proxy-server.udp}, in the order written; of all together at least one
 * @param client how nodes are connected to, for all upstreams
 * @param routers in the order written
 * @param proxyPasses in the order written, ids unique
 * @param upstreams in the order written, ids unique
 * @param accessLog null where there is no access log
 * @param errorPages the gateway's own answers by status
 * @param runtime transport, allocator and socket buffers
 * @param admin what whoever runs Sigma may ask it; null where nothing listens for that
 * @param redis those that plugins may use, in the order written, ids unique
 */
public record SigmaConfig(
        List<ListenerConfig> listeners,
        List<TcpListenerConfig> tcpListeners,
        BoltConfig bolt,
        List<UdpListenerConfig> udpListeners,
        ClientConfig client,
        List<RouterConfig> routers,
        List<ProxyPassConfig> proxyPasses,
        List<UpstreamConfig> upstreams,
        @Nullable AccessLogConfig accessLog,
        Map<Integer, ErrorPage> errorPages,
        RuntimeConfig runtime,
        @Nullable AdminConfig admin,
        List<RedisConfig> redis) {

    public SigmaConfig {
        listeners = List.copyOf(listeners);
        tcpListeners = List.copyOf(tcpListeners);
        udpListeners = List.copyOf(udpListeners);
        routers = List.copyOf(routers);
        proxyPasses = List.copyOf(proxyPasses);
        upstreams = List.copyOf(upstreams);
        errorPages = Map.copyOf(errorPages);
        redis = List.copyOf(redis);
    }

    /** What certificates are asked for by ACME, of all servers. */
    public List<AcmeConfig> asked() {
        List<@Nullable TlsConfig> all = new ArrayList<>();
        listeners.forEach(listener -> all.add(listener.tls()));
        tcpListeners.forEach(listener -> all.add(listener.tls()));
        bolt.listeners().forEach(listener -> all.add(listener.tls()));
        List<AcmeConfig> asked = new ArrayList<>();
        for (TlsConfig tls : all) {
            AcmeConfig acme = tls == null ? null : tls.acme();
            if (acme != null) {
                asked.add(acme);
            }
        }
        return asked;
    }

    /** The servers of all sections: of HTTP, of TCP, of Bolt in mode relay, of Bolt in mode route, of UDP. */
    public List<Listener> allListeners() {
        List<Listener> all = new ArrayList<>(listeners);
        all.addAll(tcpListeners);
        all.addAll(bolt.listeners());
        all.addAll(udpListeners);
        return List.copyOf(all);
    }
}
