package net.oooops.sigma.control;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;

/** A gateway that may take the place of another one in the same process. */
record Taking(Gateway gateway) implements AutoCloseable {
    private static final PluginCatalog PLUGINS = new PluginCatalog(Taking.class.getClassLoader());
    private static final ObjectMapper JSON = new ObjectMapper();

    static Taking start(ObjectNode sigma, int workers, Takeover before) throws StartException {
        return new Taking(
                Gateway.start(SnapshotCompiler.compile(read(sigma), PLUGINS), workers, new VertxOptions(), before));
    }

    /** Sockets that come from elsewhere, as systemd's do. */
    static Takeover of(int... descriptors) {
        return from("", descriptors);
    }

    /** Sockets of a gateway's Listener. */
    static Takeover from(String listenerId, int... descriptors) {
        return () -> Arrays.stream(descriptors)
                .mapToObj(each -> passed(listenerId, each))
                .toList();
    }

    private static PassedSocket passed(String listenerId, int descriptor) {
        try {
            return PassedSocket.of(listenerId, descriptor);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Sockets that another gateway in this process goes on having, as one in another process would. */
    static List<PassedSocket> copies(List<PassedSocket> sockets) {
        List<PassedSocket> copies = new ArrayList<>();
        for (PassedSocket each : sockets) {
            copies.add(passed(each.listenerId(), RawDescriptors.same(each.descriptor())));
        }
        return copies;
    }

    /** Servers of HTTP on these ports of the loopback address, by their ids, in front of one node. */
    static ObjectNode sigma(Transport transport, int nodePort, Map<String, Integer> servers) {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode http = root.putObject("proxy-server").putArray("http");
        ArrayNode routers = root.putArray("router");
        servers.forEach((id, port) -> {
            http.addObject().put("id", id).put("host", "127.0.0.1").put("port", port);
            ObjectNode router = routers.addObject().put("id", "r-" + id).put("proxy-server-id", id);
            router.putArray("route")
                    .addObject()
                    .put("id", id + "-all")
                    .put("path", "/*")
                    .put("proxy-pass-id", "p");
        });
        root.putArray("proxy-pass").addObject().put("id", "p").put("upstream-id", "u");
        ObjectNode upstream = root.putArray("upstream").addObject().put("id", "u");
        upstream.putArray("nodes").add("http://127.0.0.1:" + nodePort);
        root.putObject("runtime").put("transport", transport.name().toLowerCase(Locale.ROOT));
        return root;
    }

    private static SigmaConfig read(ObjectNode sigma) {
        ConfigResult result = new ConfigReader(PLUGINS.schemas(), PLUGINS::tryOut)
                .read(
                        sigma.toString().getBytes(StandardCharsets.UTF_8),
                        Path.of("").toAbsolutePath());
        if (result instanceof ConfigResult.Valid valid) {
            return valid.config();
        }
        throw new AssertionError(((ConfigResult.Invalid) result).text(sigma.toString()));
    }

    void reload(ObjectNode sigma) throws StartException {
        SigmaConfig config = read(sigma);
        gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(config, PLUGINS, before)));
    }

    int port() {
        return gateway.addresses().getFirst().getPort();
    }

    /** What it answers on a new connection. */
    RawResponse get() throws IOException {
        return get(port());
    }

    /** What is answered there on a new connection. */
    static RawResponse get(int port) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            return get(client);
        }
    }

    static RawResponse get(RawClient client) throws IOException {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        return Objects.requireNonNull(client.readResponse());
    }

    /** Waits until so many were. */
    void awaitAnswered(long count) {
        Await.value("answered", () -> count(Counter.REQUESTS_2XX), seen -> seen == count);
    }

    long count(Counter counter) {
        return gateway.counters().count(counter);
    }

    @Override
    public void close() {
        gateway.stop(Duration.ZERO);
    }
}
