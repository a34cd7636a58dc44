package net.oooops.sigma.call;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;

/** A gateway with one Bolt server on a free port of the loopback address, made from a sigma.json as a user would write it. */
final class BoltFixture implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TRANSPORT =
            System.getProperty("sigma.test.transport", "AUTO").toLowerCase(Locale.ROOT);

    private final Gateway gateway;

    private BoltFixture(Gateway gateway) {
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
    void expectRefused() throws IOException {
        try (RawClient client = connect()) {
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

    long refusals(String label) {
        return gateway.counters().refusals(label);
    }

    /** Waits until that was counted. */
    void awaitCount(Counter counter, long count) {
        Await.value(counter + " (expected: " + count + ")", () -> count(counter), seen -> seen == count);
    }

    /** Waits until that many have failed so. */
    void awaitFaults(Fault fault, long count) {
        Await.value(fault + " (expected: " + count + ")", () -> faults(fault), seen -> seen == count);
    }

    /** Waits until that many were refused so. */
    void awaitRefusals(String label, long count) {
        Await.value(label + " (expected: " + count + ")", () -> refusals(label), seen -> seen == count);
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
                root.putObject("proxy-server").putArray("bolt").addObject();
        private final ArrayNode routes;
        private final ArrayNode passes = root.putArray("proxy-pass");
        private final ObjectNode pass = passes.addObject();
        private final ArrayNode upstreams = root.putArray("upstream");
        private final ObjectNode upstream = upstreams.addObject();
        private final ArrayNode nodes = upstream.putArray("nodes");
        private int workers = 1;

        private Builder() {
            server.put("id", "bolt").put("host", "127.0.0.1").put("port", 0);
            ObjectNode router = root.putArray("router").addObject();
            router.put("id", "router").put("proxy-server-id", "bolt");
            routes = router.putArray("route");
            pass.put("id", "pass").put("upstream-id", "upstream");
            upstream.put("id", "upstream");
            root.putObject("runtime").put("transport", TRANSPORT);
        }

        Builder node(int port) {
            nodes.add("bolt://127.0.0.1:" + port);
            return this;
        }

        /** In mode relay. */
        Builder relay() {
            root.remove("router");
            server.put("mode", "relay").put("proxy-pass-id", "pass");
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

        /** A key of {@code proxy-client.bolt}. */
        Builder nodes(String key, Object value) {
            root.withObject("/proxy-client/bolt").set(key, JSON.valueToTree(value));
            return this;
        }

        /** A route to a node of its own. */
        Builder route(Map<String, Object> route, RawServer node) {
            String id = "to-" + node.port();
            ObjectNode made = JSON.valueToTree(route);
            routes.add(made.put("id", id).put("proxy-pass-id", id));
            passes.addObject().put("id", id).put("upstream-id", id);
            upstreams.addObject().put("id", id).putArray("nodes").add("bolt://127.0.0.1:" + node.port());
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

        BoltFixture start() {
            if (nodes.isEmpty()) {
                passes.remove(0);
                upstreams.remove(0);
            } else {
                routes.addObject().put("id", "rest").put("proxy-pass-id", "pass");
            }
            PluginCatalog plugins = new PluginCatalog(BoltFixture.class.getClassLoader());
            try {
                ConfigResult result = new ConfigReader(plugins.schemas(), plugins::tryOut)
                        .read(JSON.writeValueAsBytes(root), Path.of("").toAbsolutePath());
                if (!(result instanceof ConfigResult.Valid valid)) {
                    throw new AssertionError(((ConfigResult.Invalid) result).text(root.toString()));
                }
                return new BoltFixture(
                        Gateway.start(SnapshotCompiler.compile(valid.config(), plugins), workers, new VertxOptions()));
            } catch (StartException | IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
