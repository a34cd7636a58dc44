package net.oooops.sigma.session;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.tcp.HeaderRefusal;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;

/** A gateway with one TCP server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class TcpFixture implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** {@code -Dsigma.test.transport=EPOLL}, as for {@code GatewayFixture}. */
    private static final String TRANSPORT =
            System.getProperty("sigma.test.transport", "AUTO").toLowerCase(java.util.Locale.ROOT);

    /** {@code -Dsigma.test.thread-model=INDIVIDUAL_GROUP}, as for {@code GatewayFixture}. */
    private static final String THREAD_MODEL = System.getProperty("sigma.test.thread-model", "REUSE_SERVER_THREAD")
            .toLowerCase(java.util.Locale.ROOT)
            .replace('_', '-');

    private final Gateway gateway;

    private TcpFixture(Gateway gateway) {
        this.gateway = gateway;
    }

    /** In front of these nodes. */
    static Builder to(RawServer... nodes) {
        Builder builder = new Builder();
        for (RawServer node : nodes) {
            builder.node(node.port());
        }
        return builder;
    }

    RawClient connect() throws IOException {
        return RawClient.connect(port());
    }

    RawClient connect(ClientOptions options) throws IOException {
        return RawClient.connect(port(), options);
    }

    /** Connects, and expects to be reset for it, be it while that goes on or right after. */
    void expectRefused(ClientOptions options) throws IOException {
        try (RawClient client = connect(options)) {
            client.expectReset();
        } catch (SocketException e) {
            if (!String.valueOf(e.getMessage()).contains("reset")) {
                throw e;
            }
        }
    }

    int port() {
        return gateway.addresses().getFirst().getPort();
    }

    Gateway gateway() {
        return gateway;
    }

    long count(Counter counter) {
        return gateway.counters().count(counter);
    }

    long faults(Fault fault) {
        return gateway.counters().faults(fault);
    }

    long refusals(HeaderRefusal why) {
        return gateway.counters().refusals(why.label());
    }

    /** Waits until that many sessions were counted in that way. */
    void awaitCount(Counter counter, long count) {
        Await.value(counter + " (expected: " + count + ")", () -> count(counter), seen -> seen == count);
    }

    /** Waits until that many sessions have failed so. */
    void awaitFaults(Fault fault, long count) {
        Await.value(fault + " (expected: " + count + ")", () -> faults(fault), seen -> seen == count);
    }

    /** Stops on a thread of its own; gives the number of connections that were cut. */
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
                root.putObject("proxy-server").putArray("tcp").addObject();
        private final ObjectNode pass = root.putArray("proxy-pass").addObject();
        private final ObjectNode upstream = root.putArray("upstream").addObject();
        private final ObjectNode runtime = root.putObject("runtime");
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;

        private Builder() {
            server.put("id", "tcp").put("host", "127.0.0.1").put("port", 0).put("proxy-pass-id", "pass");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            runtime.put("transport", TRANSPORT).put("thread-model", THREAD_MODEL);
        }

        /** One key of {@code runtime}. */
        Builder runtime(String key, String value) {
            runtime.put(key, value);
            return this;
        }

        Builder node(int port) {
            nodes.add("tcp://127.0.0.1:" + port);
            return this;
        }

        Builder node(int port, int weight) {
            nodes.addObject().put("url", "tcp://127.0.0.1:" + port).put("weight", weight);
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

        /** A section at the top. */
        Builder top(String key, Object value) {
            root.set(key, JSON.valueToTree(value));
            return this;
        }

        Builder workers(int count) {
            workers = count;
            return this;
        }

        TcpFixture start() {
            PluginCatalog plugins = new PluginCatalog(TcpFixture.class.getClassLoader());
            try {
                ConfigResult result = new ConfigReader(plugins.schemas(), plugins::tryOut)
                        .read(JSON.writeValueAsBytes(root), Path.of("").toAbsolutePath());
                if (!(result instanceof ConfigResult.Valid valid)) {
                    throw new AssertionError(((ConfigResult.Invalid) result).text(root.toString()));
                }
                return new TcpFixture(
                        Gateway.start(SnapshotCompiler.compile(valid.config(), plugins), workers, new VertxOptions()));
            } catch (StartException | IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
