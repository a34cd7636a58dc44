package net.oooops.sigma;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.upstream.NodeRegistry;

/** A gateway with one server on a free port of the loopback address, made from a sigma.json as a user would write it. */
public abstract class WrittenGateway implements AutoCloseable {
    /** Makes what a sigma.json says. */
    protected static final ObjectMapper JSON = new ObjectMapper();

    /** {@code -Dsigma.test.transport=EPOLL}, as for {@link GatewayBuilder}. */
    private static final String TRANSPORT = word("sigma.test.transport", "AUTO");

    /** {@code -Dsigma.test.thread-model=INDIVIDUAL_GROUP}, as for {@link GatewayBuilder}. */
    private static final String THREAD_MODEL =
            word("sigma.test.thread-model", "REUSE_SERVER_THREAD").replace('_', '-');

    private final PluginCatalog plugins = new PluginCatalog(WrittenGateway.class.getClassLoader());
    private final PluginMeters meters;
    private final NodeRegistry registry;
    private final Gateway gateway;

    /** Starts it; it listens then. */
    protected WrittenGateway(ObjectNode root, int workers) throws StartException {
        this(root, workers, Takeover.NONE);
    }

    /** The same, in the place of what was there before. */
    protected WrittenGateway(ObjectNode root, int workers, Takeover before) throws StartException {
        Snapshot first = SnapshotCompiler.compile(read(plugins, root), plugins);
        this.meters = first.pluginMeters();
        this.registry = first.nodes();
        this.gateway = Gateway.start(first, workers, new VertxOptions(), before);
    }

    private static SigmaConfig read(PluginCatalog plugins, ObjectNode root) {
        try {
            ConfigResult result = new ConfigReader(plugins.schemas(), plugins::tryOut)
                    .read(JSON.writeValueAsBytes(root), Path.of("").toAbsolutePath());
            if (result instanceof ConfigResult.Valid valid) {
                return valid.config();
            }
            throw new AssertionError(((ConfigResult.Invalid) result).text(root.toString()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Requests that begin from now on follow that. */
    protected void follow(ObjectNode root) throws StartException {
        SigmaConfig next = read(plugins, root);
        gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(next, plugins, before)));
    }

    private static String word(String property, String otherwise) {
        return System.getProperty(property, otherwise).toLowerCase(Locale.ROOT);
    }

    /** A {@code runtime} with what this run of the tests is for. */
    protected static ObjectNode runtime() {
        return JSON.createObjectNode().put("transport", TRANSPORT).put("thread-model", THREAD_MODEL);
    }

    /** The port it listens on. */
    public int port() {
        return gateway.addresses().getFirst().getPort();
    }

    /** The gateway itself. */
    public Gateway gateway() {
        return gateway;
    }

    /** What it knows of nodes, as long as it runs. */
    public NodeRegistry registry() {
        return registry;
    }

    /** A new connection to it. */
    public RawClient connect() throws IOException {
        return connect(ClientOptions.defaults());
    }

    /** A new connection to it. */
    public RawClient connect(ClientOptions options) throws IOException {
        return RawClient.connect(port(), options);
    }

    /** Connects, and expects to be reset for it, be it while that goes on or right after. */
    public void expectRefused(ClientOptions options) throws IOException {
        try (RawClient client = connect(options)) {
            client.expectReset();
        } catch (SocketException e) {
            if (!String.valueOf(e.getMessage()).contains("reset")) {
                throw e;
            }
        }
    }

    /** What it counted until now. */
    public Counters counters() {
        return gateway.counters();
    }

    /** All that its plugins count, now. */
    public List<PluginMeters.Reading> pluginReadings() {
        return meters.read();
    }

    /** One of its counters now. */
    public long count(Counter counter) {
        return gateway.counters().count(counter);
    }

    /** How many have failed in that way until now. */
    public long faults(Fault fault) {
        return gateway.counters().faults(fault);
    }

    /** How many were refused for that until now. */
    public long refusals(String label) {
        return gateway.counters().refusals(label);
    }

    /** Waits until that many are counted. */
    public void awaitCount(Counter counter, long count) {
        Await.value(counter + " (expected: " + count + ")", () -> count(counter), seen -> seen == count);
    }

    /** Waits until that many have failed so. */
    public void awaitFaults(Fault fault, long count) {
        Await.value(fault + " (expected: " + count + ")", () -> faults(fault), seen -> seen == count);
    }

    /** Waits until that many were refused so. */
    public void awaitRefusals(String label, long count) {
        Await.value(label + " (expected: " + count + ")", () -> refusals(label), seen -> seen == count);
    }

    /** Stops on a thread of its own; gives the number of connections and sessions that were cut. */
    public CompletableFuture<Long> stop(Duration drain) {
        return CompletableFuture.supplyAsync(
                () -> gateway.stop(drain), task -> Thread.ofVirtual().start(task));
    }

    /** Stops at once. */
    @Override
    public void close() {
        gateway.stop(Duration.ZERO);
    }
}
