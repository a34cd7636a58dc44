package net.oooops.sigma.config.changes;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltRouteConfig;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.ProxyPassConfig;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.RouterConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TcpListenerConfig;
import net.oooops.sigma.config.TcpRouteConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/** What there is to compare of each thing, by its keys in sigma.json. Where it stands in the file is no part of anything. */
final class Parts {
    private Parts() {}

    /** Of a thing that there are several of in sigma.json; of a map, what is in it. */
    @SuppressWarnings("unchecked") // What is compared by its parts alone.
    static Map<String, @Nullable Object> of(Object thing) {
        // No switch: it would be linked by each process's first reload.
        if (thing instanceof Listener listener) {
            return of(listener);
        } else if (thing instanceof RouteConfig route) {
            return of(route);
        } else if (thing instanceof TcpRouteConfig route) {
            return of(route);
        } else if (thing instanceof BoltRouteConfig route) {
            return of(route);
        } else if (thing instanceof ProxyPassConfig pass) {
            return of(pass);
        } else if (thing instanceof UpstreamConfig upstream) {
            return of(upstream);
        } else if (thing instanceof NodeConfig node) {
            return of(node);
        }
        return (Map<String, @Nullable Object>) thing;
    }

    private static Map<String, @Nullable Object> of(Listener listener) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("protocol", listener.getClass().getSimpleName());
        parts.put("host", listener.host());
        parts.put("port", listener.port());
        parts.put("timeouts", listener.timeouts());
        switch (listener) {
            case ListenerConfig http -> http(http, parts);
            case TcpListenerConfig tcp -> tcp(tcp, parts);
            case BoltListenerConfig bolt -> bolt(bolt, parts);
            case UdpListenerConfig udp -> udp(udp, parts);
        }
        return parts;
    }

    private static void http(ListenerConfig http, Map<String, @Nullable Object> parts) {
        parts.put("server-id", http.serverId());
        parts.put("desc", http.desc());
        parts.put("max-content-length", http.contentBytesMax());
        parts.put("http2", http.http2());
        parts.put("plugin", plugins(http.plugins()));
        parts.put("limits", http.limits());
        parts.put("ssl", tls(http.tls()));
    }

    private static void tcp(TcpListenerConfig tcp, Map<String, @Nullable Object> parts) {
        parts.put("protocol", tcp.protocol());
        parts.put("desc", tcp.desc());
        parts.put("proxy-pass-id", tcp.proxyPassId());
        parts.put("plugin", plugins(tcp.plugins()));
        parts.put("max-connections", tcp.connectionsMax());
        parts.put("idle-timeout", tcp.idleTimeoutNanos());
        parts.put("tcp-keep-alive", tcp.tcpKeepAlive());
        parts.put("proxy-protocol", tcp.proxyProtocol());
        parts.put("trusted-proxies", tcp.trustedProxies());
        parts.put("limits", tcp.limits());
        parts.put("ssl", tls(tcp.tls()));
    }

    private static void bolt(BoltListenerConfig bolt, Map<String, @Nullable Object> parts) {
        parts.put("desc", bolt.desc());
        parts.put("plugin", plugins(bolt.plugins()));
        parts.put("max-connections", bolt.bounds().connectionsMax());
        parts.put("idle-timeout", bolt.bounds().idleTimeoutNanos());
        parts.put("tcp-keep-alive", bolt.bounds().tcpKeepAlive());
        parts.put("max-frame-size", bolt.bounds().frameBytesMax());
        parts.put("max-requests-in-flight", bolt.bounds().requestsInFlightMax());
        parts.put("max-unsent", bolt.bounds().unsentBytesMax());
        parts.put("limits", bolt.limits());
        parts.put("ssl", tls(bolt.tls()));
    }

    private static void udp(UdpListenerConfig udp, Map<String, @Nullable Object> parts) {
        parts.put("desc", udp.desc());
        parts.put("proxy-pass-id", udp.proxyPassId());
        parts.put("plugin", plugins(udp.plugins()));
        parts.put("max-sessions", udp.sessionsMax());
        parts.put("idle-timeout", udp.idleTimeoutNanos());
    }

    static Map<String, @Nullable Object> of(RouterConfig router) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("desc", router.desc());
        parts.put("proxy-server-id", router.listenerId());
        parts.put("virtual-host", router.virtualHosts());
        parts.put("allow-forward", router.allowForward());
        parts.put("trusted-proxies", router.trustedProxies());
        parts.put("plugin", plugins(router.plugins()));
        return parts;
    }

    static Map<String, @Nullable Object> of(RouteConfig route) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("desc", route.desc());
        parts.put("path", route.path());
        parts.put("allow-method", route.allowMethods());
        parts.put("consumes", route.consumes());
        parts.put("produces", route.produces());
        parts.put("header", route.headers());
        parts.put("query", route.queries());
        parts.put("proxy-pass-id", route.proxyPassId());
        parts.put("sub-router", route.subRouterId());
        parts.put("plugin", plugins(route.plugins()));
        return parts;
    }

    static Map<String, @Nullable Object> of(TcpRouteConfig route) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("match.sni", route.hosts());
        parts.put("match.alpn", route.protocols());
        parts.put("proxy-pass-id", route.proxyPassId());
        return parts;
    }

    static Map<String, @Nullable Object> of(BoltRouteConfig route) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("class-name", route.className());
        parts.put("header", route.headers());
        parts.put("proxy-pass-id", route.proxyPassId());
        parts.put("timeout", route.timeoutNanos());
        return parts;
    }

    static Map<String, @Nullable Object> of(ProxyPassConfig pass) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("upstream-id", pass.upstreamId());
        parts.put("plugin", plugins(pass.plugins()));
        parts.put("timeout.response", pass.responseTimeoutNanos());
        parts.put("timeout.idle", pass.idleTimeoutNanos());
        parts.put("preserve-host", pass.preserveHost());
        parts.put("proxy-protocol", pass.proxyProtocol());
        parts.put("retry", pass.retry());
        parts.put("upgrade", pass.tunnel().protocols());
        parts.put("timeout.tunnel-idle", pass.tunnel().idleTimeoutNanos());
        parts.put("timeout.tunnel-lifetime", pass.tunnel().lifetimeNanos());
        return parts;
    }

    /** All but its nodes. */
    static Map<String, @Nullable Object> of(UpstreamConfig upstream) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("discovery", upstream.discovery());
        parts.put("rule-strategy", upstream.ruleStrategy());
        parts.put("protocol", List.of(upstream.protocol(), upstream.httpVersion()));
        parts.put("health", upstream.health());
        parts.put("retry-budget", upstream.budget());
        parts.put("breaker", upstream.breaker());
        parts.put("zone", upstream.zone());
        parts.put("hash", upstream.hash());
        parts.put("sticky", upstream.sticky());
        parts.put("ssl", tls(upstream.tls()));
        return parts;
    }

    static Map<String, @Nullable Object> of(NodeConfig node) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("weight", node.weight());
        parts.put("backup", node.backup());
        parts.put("zone", node.zone());
        return parts;
    }

    /** What holds for all of it. */
    static Map<String, @Nullable Object> settings(SigmaConfig config) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        ClientConfig client = config.client();
        parts.put("proxy-client.max-pool-size-per-server", client.maxPoolSizePerServer());
        parts.put("proxy-client.connect-timeout", client.connectTimeoutNanos());
        parts.put("proxy-client.idle-timeout", client.idleTimeoutNanos());
        parts.put("proxy-client.max-wait-queue", client.maxWaitQueue());
        parts.put("proxy-client.wait-timeout", client.waitTimeoutNanos());
        BoltConfig bolt = config.bolt();
        parts.put("proxy-client.bolt.connections-per-node", bolt.connectionsPerNode());
        parts.put("proxy-client.bolt.max-requests-in-flight", bolt.requestsPerNodeMax());
        parts.put("proxy-client.bolt.heartbeat-interval", bolt.heartbeatIntervalNanos());
        parts.put("proxy-client.bolt.heartbeat-misses", bolt.heartbeatMissesMax());
        parts.put("plugins.log-config", config.accessLog());
        parts.put("plugins.error-pages", config.errorPages());
        parts.put("proxy-server.admin", config.admin());
        config.redis().forEach(each -> parts.put("redis." + each.id(), redis(each)));
        parts.putAll(of(config.runtime()));
        parts.put("runtime.dns", config.runtime().dns());
        return parts;
    }

    private static Map<String, @Nullable Object> redis(RedisConfig redis) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("nodes", redis.nodes());
        parts.put("username", redis.user());
        parts.put("database", redis.database());
        parts.put("bounds", redis.bounds());
        parts.put("ssl", tls(redis.tls()));
        return parts;
    }

    /** What Workers take up when they are made. */
    static Map<String, @Nullable Object> of(RuntimeConfig runtime) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("runtime.transport", runtime.transport());
        parts.put("runtime.thread-model", runtime.threadModel());
        parts.put("runtime.allocator", runtime.allocator());
        parts.put("runtime.receive-buffer", runtime.receiveBufferBytes());
        parts.put("runtime.send-buffer", runtime.sendBufferBytes());
        parts.put("runtime.relay-memory", runtime.memory().relayBytesMax());
        parts.put("runtime.call-memory", runtime.memory().callBytesMax());
        parts.put("runtime.body-memory", runtime.memory().bodyBytesMax());
        parts.put("runtime.head-memory", runtime.memory().headBytesMax());
        return parts;
    }

    /** Of each its name and settings, in their order. */
    private static List<List<Object>> plugins(List<PluginConfig> plugins) {
        return plugins.stream()
                .map(plugin -> List.of(plugin.name(), plugin.settings()))
                .toList();
    }

    /** All but where it stands, and what was in the folder of ACME. */
    private static @Nullable Object tls(@Nullable TlsConfig tls) {
        if (tls == null) {
            return null;
        }
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("certificates", Certificates.shown(tls));
        parts.put("min-version", tls.minVersion());
        parts.put("ciphers", tls.ciphers());
        parts.put("alpn", tls.alpn());
        parts.put("strict-sni", tls.strictSni());
        parts.put("client-auth", tls.clients());
        parts.put("ocsp-stapling", tls.ocspStapling());
        parts.put("acme", tls.acme() == null ? null : Certificates.asked(tls.acme()));
        return parts;
    }

    private static @Nullable Object tls(@Nullable NodeTlsConfig tls) {
        if (tls == null) {
            return null;
        }
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put("trust", tls.trust());
        parts.put("server-name", tls.serverName());
        parts.put("certificate", tls.shown());
        parts.put("min-version", tls.minVersion());
        parts.put("ciphers", tls.ciphers());
        parts.put("alpn", tls.alpn());
        return parts;
    }
}
