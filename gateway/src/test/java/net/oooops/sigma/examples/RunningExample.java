package net.oooops.sigma.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.WholeConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Handler;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.SigmaCommand;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.opentest4j.TestAbortedException;

/**
 * A gateway started from an example, in this JVM or by what {@code -Dsigma.command} names, and the nodes behind it. Everything is as the file says, but
 * for the ports, which are free ones of the loopback address, and for where the access log goes. Ports are asked for as the file has them.
 */
final class RunningExample implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern NODE = Pattern.compile("(https?|h2c?|tcp|tls|udp|bolt)://127\\.0\\.0\\.1:(\\d+)");

    private final Map<Integer, ScriptedUpstream> nodes = new TreeMap<>();
    private final Map<Integer, UdpEcho> udpNodes = new TreeMap<>();
    /** Before nodes of HTTP/2: gateways that speak it, and HTTP/1.1 to what stands behind. */
    private final Map<Integer, GatewayFixture> fronts = new TreeMap<>();

    private final List<Integer> listenerPorts = new ArrayList<>();
    /** Those that they have here, in the same order; 0 where the system gives them one. */
    private final List<Integer> portsHere = new ArrayList<>();

    private int adminPort;
    private int adminPortHere;
    private final Set<Integer> encryptedPorts = new HashSet<>();
    private final NodeHandlers handlers;
    private final Path accessLog;
    private final Running running;

    /** What is started. */
    private interface Running {
        /** The port of a listener, by its place in the file. */
        int port(int listener);

        int adminPort();

        Gateway gateway();

        void stop();
    }

    private record Here(Gateway gateway) implements Running {
        @Override
        public int port(int listener) {
            return gateway.addresses().get(listener).getPort();
        }

        @Override
        public int adminPort() {
            return Objects.requireNonNull(gateway.adminAddress()).getPort();
        }

        @Override
        public void stop() {
            gateway.stop(Duration.ZERO);
        }
    }

    private record Elsewhere(ExampleProcess process, List<Integer> ports, int adminPort) implements Running {
        @Override
        public int port(int listener) {
            return ports.get(listener);
        }

        @Override
        public Gateway gateway() {
            throw new TestAbortedException("nobody sees into another process");
        }

        @Override
        public void stop() {
            process.close();
        }
    }

    /** What each node does, by its port in the file. */
    interface NodeHandlers {
        Handler of(int port);
    }

    private RunningExample(String name, NodeHandlers handlers, Path accessLog) throws IOException, StartException {
        this.handlers = handlers;
        this.accessLog = accessLog;
        try {
            this.running = start(name);
        } catch (IOException | StartException | RuntimeException | AssertionError e) {
            closeNodes();
            throw e;
        }
    }

    /** Starts it. */
    static RunningExample of(String name, NodeHandlers handlers, Path accessLog) throws IOException, StartException {
        return new RunningExample(name, handlers, accessLog);
    }

    private Running start(String name) throws IOException, StartException {
        PluginCatalog plugins = new PluginCatalog(getClass().getClassLoader());
        JsonNode written = JSON.readTree(WholeConfig.json(ExampleFiles.config(name), plugins.schemas()));
        JsonNode http = written.at("/proxy-server/http");
        (http.isObject() ? List.of(http) : http).forEach(this::listenElsewhere);
        if (written.at("/proxy-server/https") instanceof ObjectNode https) {
            encryptedPorts.add(https.get("port").intValue());
            listenElsewhere(https);
        }
        for (JsonNode tcp : written.at("/proxy-server/tcp")) {
            if (tcp.has("ssl") || tcp.has("route")) {
                encryptedPorts.add(tcp.get("port").intValue());
            }
            listenElsewhere(tcp);
        }
        // Those in mode relay have the first addresses.
        written.at("/proxy-server/bolt").forEach(each -> listenElsewhere(each, "relay"));
        written.at("/proxy-server/bolt").forEach(each -> listenElsewhere(each, "route"));
        written.at("/proxy-server/udp").forEach(this::listenElsewhere);
        if (written.at("/proxy-server/admin") instanceof ObjectNode admin) {
            adminPort = admin.get("port").intValue();
            adminPortHere = freePort();
            admin.put("port", adminPortHere);
        }
        if (written.at("/plugins/log-config") instanceof ObjectNode log) {
            log.put("file", accessLog.toString());
        }
        if (written.at("/proxy-server/https/ssl/acme") instanceof ObjectNode acme) {
            // Nobody is there, and nobody else is asked.
            acme.put("directory", "https://127.0.0.1:" + FreePorts.one() + "/")
                    .put("folder", accessLog.resolveSibling("acme").toString());
        }
        for (JsonNode upstream : written.at("/upstream")) {
            if (upstream.has("nodes-file")) {
                ((ObjectNode) upstream)
                        .put(
                                "nodes-file",
                                nodesElsewhere(upstream.get("nodes-file").textValue()));
            }
        }
        Optional<List<String>> command = SigmaCommand.words();
        if (command.isPresent()) {
            ((ObjectNode) written).withObjectProperty("timeouts").put("drain", "100ms");
        }
        byte[] json = JSON.writeValueAsBytes(withFreePorts(written));
        return command.isPresent() ? elsewhere(command.get(), json, name) : new Here(here(json, plugins, name));
    }

    private Running elsewhere(List<String> command, byte[] json, String name) throws IOException {
        List<String> words = name.equals(ExampleFiles.OPTIONS)
                ? List.of("-options", ExampleFiles.folder().resolve(name).toString())
                : List.of("-instance", "1");
        Path folder = accessLog.resolveSibling("example");
        return new Elsewhere(ExampleProcess.start(command, folder, json, words), portsHere, adminPortHere);
    }

    private static Gateway here(byte[] json, PluginCatalog plugins, String name) throws IOException, StartException {
        ConfigResult result = new ConfigReader(plugins.schemas(), plugins::tryOut).read(json, ExampleFiles.folder());
        return switch (result) {
            case ConfigResult.Invalid invalid -> throw new AssertionError(invalid.text(name));
            case ConfigResult.Valid valid -> {
                VertxOptions options = options(name);
                int workers = name.equals(ExampleFiles.OPTIONS) ? options.getEventLoopPoolSize() : 1;
                yield Gateway.start(SnapshotCompiler.compile(valid.config(), plugins), workers, options);
            }
        };
    }

    private void closeNodes() {
        fronts.values().forEach(GatewayFixture::close);
        nodes.values().forEach(ScriptedUpstream::close);
        udpNodes.values().forEach(UdpEcho::close);
    }

    /** The path of a copy of that file. */
    private String nodesElsewhere(String name) throws IOException {
        JsonNode nodes = JSON.readTree(Files.readString(ExampleFiles.folder().resolve(name)));
        Path copy = accessLog.resolveSibling("nodes-of-" + Path.of(name).getFileName());
        Files.write(copy, JSON.writeValueAsBytes(withFreePorts(nodes)));
        return copy.toString();
    }

    private void listenElsewhere(JsonNode listener, String mode) {
        if (listener.path("mode").asText("route").equals(mode)) {
            listenElsewhere(listener);
        }
    }

    private void listenElsewhere(JsonNode listener) {
        listenerPorts.add(listener.get("port").intValue());
        int port = freePort();
        portsHere.add(port);
        ((ObjectNode) listener).put("host", "127.0.0.1").put("port", port);
    }

    /** For another process, which doesn't say which one the system gave it. */
    private static int freePort() {
        return SigmaCommand.words().isPresent() ? FreePorts.one() : 0;
    }

    private static VertxOptions options(String name) throws IOException {
        return name.equals(ExampleFiles.OPTIONS)
                ? new VertxOptions(
                        new JsonObject(Files.readString(ExampleFiles.folder().resolve(name))))
                : new VertxOptions();
    }

    private JsonNode withFreePorts(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.properties().forEach(member -> member.setValue(withFreePorts(member.getValue())));
        } else if (tree instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, withFreePorts(array.get(i)));
            }
        }
        Matcher url = NODE.matcher(tree.isTextual() ? tree.textValue() : "");
        return url.matches()
                ? TextNode.valueOf(
                        url.group(1) + "://127.0.0.1:" + startedPort(url.group(1), Integer.parseInt(url.group(2))))
                : tree;
    }

    private int startedPort(String scheme, int port) {
        return switch (scheme) {
            case "udp" -> udpNodes.computeIfAbsent(port, UdpEcho::new).port();
            case "h2", "h2c" ->
                fronts.computeIfAbsent(port, p -> front(scheme, p)).port();
            default -> started(scheme, port).port();
        };
    }

    private GatewayFixture front(String scheme, int port) {
        GatewayBuilder front = GatewayFixture.to(started("http", port));
        return (scheme.equals("h2") ? front.tls(ExampleFiles.tls()) : front).start();
    }

    private ScriptedUpstream started(String scheme, int port) {
        UpstreamOptions options = scheme.equals("https") || scheme.equals("tls")
                ? UpstreamOptions.defaults().withWrapping(ExampleFiles::encrypting)
                : UpstreamOptions.defaults();
        return nodes.computeIfAbsent(port, p -> ScriptedUpstream.start(options, handlers.of(p)));
    }

    /** A connection to the listener that has this port in the file. */
    RawClient connect(int port) throws IOException {
        return connect(port, ClientOptions.defaults());
    }

    /** A connection to the listener that has this port in the file. */
    RawClient connect(int port, ClientOptions options) throws IOException {
        return encryptedPorts.contains(port)
                ? RawClient.connect(portOf(port), options, ExampleFiles::encrypted)
                : RawClient.connect(portOf(port), options);
    }

    /** The port of the listener that has this one in the file. */
    int portOf(int port) {
        if (port == adminPort) {
            return running.adminPort();
        }
        int listener = listenerPorts.indexOf(port);
        if (listener < 0) {
            throw new IllegalArgumentException(port + " (expected: one of " + listenerPorts + ")");
        }
        return running.port(listener);
    }

    /** The node that has this port in the file. */
    ScriptedUpstream node(int port) {
        ScriptedUpstream node = nodes.get(port);
        if (node == null) {
            throw new IllegalArgumentException(port + " (expected: one of " + nodes.keySet() + ")");
        }
        return node;
    }

    /** All nodes. */
    Iterable<ScriptedUpstream> nodes() {
        return nodes.values();
    }

    /** The gateway; where it is another process the test ends here, left out. */
    Gateway gateway() {
        return running.gateway();
    }

    @Override
    public void close() {
        running.stop();
        closeNodes();
    }
}
