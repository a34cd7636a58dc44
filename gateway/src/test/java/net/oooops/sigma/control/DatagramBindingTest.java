package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig.ThreadModel;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.runtime.DatagramFlow;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is missing of a server's addresses is bound, on each Worker. */
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class DatagramBindingTest {
    private static final PluginCatalog PLUGINS = new PluginCatalog(DatagramBindingTest.class.getClassLoader());
    private static final int WORKERS = 2;

    private Vertx vertx;
    private AccessLogs logs;
    private NodeLoops nodeLoops;
    private Names names;
    private Workers workers;
    private UdpListenerConfig loopback;
    private DatagramBinding binding;

    @BeforeEach
    void start() throws Exception {
        SocketTransport transport = SocketTransport.choose(Transport.EPOLL);
        vertx = Vertx.builder()
                .with(new VertxOptions().setEventLoopPoolSize(WORKERS).setPreferNativeTransport(true))
                .withTransport(transport.transport())
                .build();
        SigmaConfig config = read();
        loopback = config.udpListeners().getFirst();
        Snapshot snapshot = SnapshotCompiler.compile(config, PLUGINS);
        snapshot.start();
        snapshot.take();
        logs = AccessLogs.open(null, WORKERS);
        nodeLoops = new NodeLoops(ThreadModel.REUSE_SERVER_THREAD, vertx, transport, WORKERS);
        names = new Names(NameResolution.Settings.of(config.runtime().dns(), 0), snapshot.nodes());
        workers = new Workers(WORKERS, transport, nodeLoops, logs, names.asker());
        workers.deploy(vertx, snapshot, new Snapshots(snapshot, WORKERS, gone -> {}).generation());
        binding = new DatagramBinding(workers.all(), true);
    }

    @AfterEach
    void end() throws Exception {
        workers.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        names.close(Duration.ofSeconds(20));
        logs.close();
    }

    private static SigmaConfig read() {
        String json = """
            {"proxy-server": {"udp": [{"id": "u", "host": "127.0.0.1", "port": 0, "proxy-pass-id": "u"}]},
             "proxy-pass": [{"id": "u", "upstream-id": "u"}],
             "upstream": [{"id": "u", "nodes": ["udp://127.0.0.1:1"]}],
             "runtime": {"transport": "epoll"}}
            """;
        ConfigResult result = new ConfigReader(PLUGINS.schemas(), PLUGINS::tryOut)
                .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
        return ((ConfigResult.Valid) result).config();
    }

    /** A port that is free at all addresses. */
    private static int free() throws IOException {
        try (DatagramSocket all = new DatagramSocket(new InetSocketAddress("0.0.0.0", 0))) {
            return all.getLocalPort();
        }
    }

    private UdpListenerConfig everywhere(int port) {
        return at("0.0.0.0", port);
    }

    /** The same server. */
    private UdpListenerConfig at(String host, int port) {
        return new UdpListenerConfig(
                "u",
                "",
                host,
                port,
                "u",
                List.of(),
                loopback.sessionsMax(),
                loopback.idleTimeoutNanos(),
                loopback.timeouts());
    }

    /** How many sockets there are on each Worker. */
    private List<Integer> bound() throws StartException {
        List<Integer> counts = new ArrayList<>();
        for (Worker each : workers.all()) {
            OnLoops.each(List.of(each), worker -> {
                DatagramFlow flow = Objects.requireNonNull(worker.datagramFlow("u"));
                counts.add(flow.descriptors().size());
            });
        }
        return counts;
    }

    private static int besideCount() {
        return LocalAddresses.beside(new InetSocketAddress("0.0.0.0", 0)).size();
    }

    @Test
    void aServerThatHasKeptOneOfItsAddressesGetsTheOthers() throws Exception {
        int port = binding.bind(at("127.0.0.1", free())).getPort();
        assertThat(bound()).containsExactly(1, 1);
        int all = besideCount() + 1;

        binding.bindMissing(everywhere(port));
        assertThat(bound()).containsExactly(all, all);

        binding.bindMissing(everywhere(port));
        assertThat(bound()).containsExactly(all, all);
    }

    /** Who has an address for themselves keeps it from being bound, and all addresses with it; but not the others. */
    @Test
    void oneThatCannotBeBoundKeepsNoOtherFromIt() throws Exception {
        // Beside a socket of its own the kernel may let another one be bound there all the same.
        DatagramBinding one = new DatagramBinding(workers.all().subList(0, 1), true);
        InetSocketAddress second = new InetSocketAddress(InetAddress.getByName("127.0.0.2"), free());
        UdpListenerConfig everywhere;
        try (DatagramSocket other = new DatagramSocket(second)) {
            UdpListenerConfig taken = everywhere(other.getLocalPort());
            everywhere = taken;

            assertThatThrownBy(() -> one.bindMissing(taken)).isInstanceOf(IOException.class);
            assertThat(bound().getFirst()).isEqualTo(besideCount());
        }
        one.bindMissing(everywhere);
        assertThat(bound().getFirst()).isEqualTo(besideCount() + 1);
    }

    /** However many addresses there are: nothing else is done meanwhile. */
    @Test
    void aWorkerThatStandsStillIsWaitedForOnce() throws Exception {
        int port = binding.bind(at("127.0.0.1", free())).getPort();
        Worker still = workers.all().getFirst();
        DatagramBinding hasty = new DatagramBinding(workers.all(), true, Duration.ofMillis(200));
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        still.eventLoop().execute(() -> {
            stands.countDown();
            awaitOn(goesOn);
        });
        assertThat(stands.await(20, TimeUnit.SECONDS)).isTrue();
        try {
            assertThatThrownBy(() -> hasty.bindMissing(everywhere(port))).hasMessage("no answer in time");
            assertThat(still.eventLoop().pendingTasks()).isOne();
        } finally {
            goesOn.countDown();
        }
        int all = besideCount() + 1;
        assertThat(bound()).containsExactly(all, all);
    }

    private static void awaitOn(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
