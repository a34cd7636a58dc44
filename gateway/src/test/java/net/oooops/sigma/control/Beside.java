package net.oooops.sigma.control;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;

/** Configurations that what runs beside the Workers follows, one after the other, and what that uses of the process. */
final class Beside {
    private static final SigmaConfig PLAIN = GatewayFixture.toPorts(1).config();

    private Beside() {}

    static SigmaConfig config(UpstreamConfig... upstreams) {
        return config(null, upstreams);
    }

    static SigmaConfig config(@Nullable AdminConfig admin, UpstreamConfig... upstreams) {
        return new SigmaConfig(
                PLAIN.listeners(),
                PLAIN.tcpListeners(),
                PLAIN.bolt(),
                PLAIN.udpListeners(),
                PLAIN.client(),
                PLAIN.routers(),
                PLAIN.proxyPasses(),
                List.of(upstreams),
                PLAIN.accessLog(),
                PLAIN.errorPages(),
                PLAIN.runtime(),
                admin,
                List.of());
    }

    /** The same, but for how name servers are asked. */
    static SigmaConfig with(SigmaConfig config, DnsConfig dns) {
        RuntimeConfig before = config.runtime();
        RuntimeConfig runtime = new RuntimeConfig(
                before.transport(),
                before.threadModel(),
                before.allocator(),
                before.receiveBufferBytes(),
                before.sendBufferBytes(),
                before.memory(),
                dns);
        return changed(config, config.listeners().getFirst(), runtime);
    }

    /** The same with another Listener. */
    static SigmaConfig with(SigmaConfig config, ListenerConfig listener) {
        return changed(config, listener, config.runtime());
    }

    private static SigmaConfig changed(SigmaConfig config, ListenerConfig listener, RuntimeConfig runtime) {
        return new SigmaConfig(
                List.of(listener),
                config.tcpListeners(),
                config.bolt(),
                config.udpListeners(),
                config.client(),
                config.routers(),
                config.proxyPasses(),
                config.upstreams(),
                config.accessLog(),
                config.errorPages(),
                runtime,
                config.admin(),
                config.redis());
    }

    /** One that isn't checked. */
    static UpstreamConfig upstream(String id, Discovery discovery, int... ports) {
        return upstream(id, discovery, HealthConfig.DEFAULT, ports);
    }

    /** One whose nodes are asked for a path once, unless they are down: then often. */
    static UpstreamConfig checked(String id, String path, int... ports) {
        return upstream(id, Discovery.STATIC_CONFIG, checks(path), ports);
    }

    static UpstreamConfig upstream(String id, Discovery discovery, HealthConfig health, int... ports) {
        return new UpstreamConfig(
                id,
                discovery,
                UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                UpstreamConfig.Protocol.HTTP,
                Arrays.stream(ports)
                        .mapToObj(port -> new NodeConfig("127.0.0.1", port, 1))
                        .toList(),
                health);
    }

    static HealthConfig checks(String path) {
        Http get = new Http(path, "GET", null, List.of(new Statuses(200, 299)), null);
        Rhythm rhythm = new Rhythm(
                TimeUnit.HOURS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.SECONDS.toNanos(10), 0);
        return new HealthConfig(new ActiveCheckConfig(get, 0, rhythm, 1, 1));
    }

    /** Upstreams of that configuration, each a new one. */
    static NodeRegistry registry(SigmaConfig config) {
        NodeRegistry nodes = new NodeRegistry();
        config.upstreams().forEach(nodes::upstream);
        return nodes;
    }

    /** How many threads there are of each name, the virtual ones not counted, and how many descriptors are open. */
    record Use(Map<String, Integer> threads, int descriptors) {
        static Use now() {
            Map<String, Integer> threads = new TreeMap<>();
            for (Thread each : Thread.getAllStackTraces().keySet()) {
                String name = each.getName();
                // Those that ask files come and go, by what others do meanwhile, too.
                boolean own = name.startsWith("sigma-") && !name.startsWith("sigma-file-");
                if (own || name.startsWith("vert.x-")) {
                    threads.merge(name, 1, Integer::sum);
                }
            }
            String[] open = Path.of("/proc/self/fd").toFile().list();
            return new Use(threads, open == null ? 0 : open.length);
        }

        /** Whether no more is used than before, whatever else opens and closes some files meanwhile. */
        boolean isLike(Use before) {
            return threads.equals(before.threads) && descriptors <= before.descriptors;
        }
    }
}
