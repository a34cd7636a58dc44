package net.oooops.sigma.session;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;

/** A gateway with one UDP server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class UdpFixture implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Gateway gateway;

    private UdpFixture(Gateway gateway) {
        this.gateway = gateway;
    }

    /** On this transport, where it works; in front of these nodes. */
    static Builder on(Transport transport, RawUdp... nodes) {
        boolean works = true;
        try {
            works = !SocketTransport.choose(transport).name().equals("kqueue");
        } catch (IllegalStateException e) {
            works = false;
        }
        assumeTrue(works, transport + " works here");
        Builder builder = new Builder(transport);
        for (RawUdp node : nodes) {
            builder.node(node.port());
        }
        return builder;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    }

    int port() {
        return gateway.addresses().getFirst().getPort();
    }

    long count(Counter counter) {
        return gateway.counters().count(counter);
    }

    long faults(Fault fault) {
        return gateway.counters().faults(fault);
    }

    /** How many sessions each node has. */
    List<Integer> sessionsOfNodes() {
        return gateway.counters().pools().stream().map(Counters.Pool::open).toList();
    }

    void awaitCount(Counter counter, long count) {
        Await.value(counter + " (expected: " + count + ")", () -> count(counter), seen -> seen == count);
    }

    /** Stops on a thread of its own; gives the number of sessions that were cut. */
    CompletableFuture<Long> stop(Duration drain) {
        return CompletableFuture.supplyAsync(
                () -> gateway.stop(drain), task -> Thread.ofVirtual().start(task));
    }

    @Override
    public void close() {
        gateway.stop(Duration.ZERO);
    }

    /** What to start. Each method sets one key and returns this. */
    static final class Builder {
        private final ObjectNode root = JSON.createObjectNode();
        private final ObjectNode server =
                root.putObject("proxy-server").putArray("udp").addObject();
        private final ObjectNode pass = root.putArray("proxy-pass").addObject();
        private final ObjectNode upstream = root.putArray("upstream").addObject();
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;

        private Builder(Transport transport) {
            server.put("id", "udp").put("host", "127.0.0.1").put("port", 0).put("proxy-pass-id", "pass");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            root.putObject("runtime").put("transport", transport.name().toLowerCase(Locale.ROOT));
        }

        Builder node(int port) {
            return node("127.0.0.1", port);
        }

        Builder node(String host, int port) {
            nodes.add("udp://" + host + ":" + port);
            return this;
        }

        Builder server(String key, Object value) {
            server.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder pass(String key, Object value) {
            pass.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder upstream(String key, Object value) {
            upstream.set(key, JSON.valueToTree(value));
            return this;
        }

        /** A key of {@code runtime}. */
        Builder runtime(String key, Object value) {
            ((ObjectNode) root.get("runtime")).set(key, JSON.valueToTree(value));
            return this;
        }

        Builder accessLog(Path file) {
            root.set(
                    "plugins",
                    JSON.valueToTree(Map.of("log-config", Map.of("format", "json", "file", file.toString()))));
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        UdpFixture start() {
            try {
                return tryStart();
            } catch (StartException e) {
                throw new AssertionError(e);
            }
        }

        UdpFixture tryStart() throws StartException {
            PluginCatalog plugins = new PluginCatalog(UdpFixture.class.getClassLoader());
            try {
                ConfigResult result = new ConfigReader(plugins.schemas(), plugins::tryOut)
                        .read(JSON.writeValueAsBytes(root), Path.of("").toAbsolutePath());
                if (!(result instanceof ConfigResult.Valid valid)) {
                    throw new AssertionError(((ConfigResult.Invalid) result).text(root.toString()));
                }
                return new UdpFixture(
                        Gateway.start(SnapshotCompiler.compile(valid.config(), plugins), workers, new VertxOptions()));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
