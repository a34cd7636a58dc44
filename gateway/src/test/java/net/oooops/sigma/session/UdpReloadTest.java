package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers of UDP that are gone, come back or move while the gateway runs. */
@Isolated("one of them has the JDK name another system")
class UdpReloadTest {
    /** The address 127.0.0.1. */
    private static final String OTHERWISE_WRITTEN = "::ffff:127.0.0.1";

    private final RawUdp node = RawUdp.open();
    private final RawUdp client = RawUdp.open();
    private final int port;

    UdpReloadTest() throws IOException {
        port = freePort();
    }

    private static int freePort() throws IOException {
        try (RawUdp free = RawUdp.open()) {
            return free.port();
        }
    }

    @AfterEach
    void close() {
        client.close();
        node.close();
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** A gateway that is given one sigma.json after the other, each with a server that stays, and these. */
    private final class Running implements AutoCloseable {
        private final Transport transport;
        private final Gateway gateway;

        private Running(Transport transport, int workers, String... hosts) throws StartException {
            assumeTrue(transport != Transport.KQUEUE, "UDP with kqueue");
            Needed.transport(transport);
            this.transport = transport;
            this.gateway = Gateway.start(
                    SnapshotCompiler.compile(read(hosts), (name, settings) -> null), workers, new VertxOptions());
        }

        /** Returns what went wrong with it though it holds. */
        String reload(String... hosts) throws StartException {
            SigmaConfig config = read(hosts);
            AtomicReference<String> wrong = new AtomicReference<>("");
            gateway.reload(before -> new Gateway.Next(
                    SnapshotCompiler.compile(config, (name, settings) -> null, before),
                    (but, generation) -> wrong.set(but)));
            return wrong.get();
        }

        private SigmaConfig read(String... hosts) {
            StringBuilder servers = new StringBuilder(server("stays", "127.0.0.1", 0));
            for (String host : hosts) {
                String[] parts = host.split(" ", 2);
                int at = parts.length == 1 ? port : Integer.parseInt(parts[1]);
                servers.append(", ").append(server("at-" + host.replaceAll("[ :]", "-"), parts[0], at));
            }
            String json = "{\"proxy-server\": {\"udp\": [" + servers + "]},"
                    + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                    + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"udp://127.0.0.1:" + node.port() + "\"]}],"
                    + " \"runtime\": {\"transport\": \""
                    + transport.name().toLowerCase(Locale.ROOT) + "\"}}";
            ConfigResult result = new ConfigReader(Map.of())
                    .read(json.getBytes(StandardCharsets.UTF_8), Path.of("").toAbsolutePath());
            if (result instanceof ConfigResult.Valid valid) {
                return valid.config();
            }
            throw new AssertionError(((ConfigResult.Invalid) result).text(json));
        }

        private static String server(String id, String host, int port) {
            return "{\"id\": \"" + id + "\", \"host\": \"" + host + "\", \"port\": " + port
                    + ", \"proxy-pass-id\": \"p\"}";
        }

        long count(Counter counter) {
            return gateway.counters().count(counter);
        }

        @Override
        public void close() {
            gateway.stop(Duration.ZERO);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void oneThatIsBackWhileItDrainsGoesOnWithItsSessions(Transport transport) throws Exception {
        try (Running running = new Running(transport, 1, "127.0.0.1");
                RawUdp other = RawUdp.open()) {
            client.send("one", address());
            InetSocketAddress session = node.expect("one");
            running.reload();
            client.send("two", address());
            assertThat(node.expect("two")).isEqualTo(session);
            other.send("dropped", address());
            Await.until("dropped", () -> running.count(Counter.DATAGRAMS_DROPPED_DRAINING) == 1);

            running.reload("127.0.0.1");

            client.send("three", address());
            assertThat(node.expect("three")).isEqualTo(session);
            other.send("taken", address());
            assertThat(node.expect("taken")).isNotEqualTo(session);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void everyWorkerTakesClientsOfOneThatIsBack(Transport transport) throws Exception {
        node.echo();
        try (Running running = new Running(transport, 3, "127.0.0.1")) {
            client.send("first", address());
            client.expect("first");
            for (int i = 0; i < 5; i++) {
                running.reload();
                running.reload("127.0.0.1");
                expectAnswers(10);
            }
            assertThat(running.gateway.addresses()).hasSize(2);
        }
    }

    /** While sessions drain, two sockets are at one place, and the kernel gives either of them clients. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void oneThatMovesTakesAllNewClients(Transport transport) throws Exception {
        node.echo();
        try (Running running = new Running(transport, 1, "0.0.0.0")) {
            client.send("first", address());
            client.expect("first");
            for (String host : List.of("127.0.0.1", "0.0.0.0", "127.0.0.1")) {
                assertThat(running.reload(host)).isEmpty();
                expectAnswers(10);
                client.send(host, address());
                client.expect(host);
            }
            assertThat(running.count(Counter.DATAGRAMS_DROPPED_DRAINING)).isZero();
        }
    }

    /** Each client is another one. */
    private void expectAnswers(int clients) throws IOException {
        for (int i = 0; i < clients; i++) {
            try (RawUdp another = RawUdp.open()) {
                another.send("" + i, address());
                another.expect("" + i);
            }
        }
    }

    @Test
    void oneThatCantBeBoundTwiceIsRefusedBeforeAnythingChanges() throws Exception {
        node.echo();
        try (Running running = new Running(Transport.NIO, 2, "0.0.0.0")) {
            onSystemWithoutSharedPorts(() -> assertThatThrownBy(() -> running.reload("127.0.0.1"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("can't listen on 127.0.0.1:" + port)
                    .hasMessageContaining("at another address"));

            assertThat(running.gateway.generation()).isEqualTo(1);
            client.send("one", address());
            client.expect("one");
        }
    }

    /** Two that can't both be bound, which shows only when they are. */
    @Test
    void oneThatWasNotBoundIsBoundByTheNextReload() throws Exception {
        node.echo();
        int last = freePort();
        try (Running running = new Running(Transport.NIO, 1)) {
            onSystemWithoutSharedPorts(
                    () -> assertThat(running.reload("127.0.0.1", OTHERWISE_WRITTEN, "127.0.0.1 " + last))
                            .contains("can't listen on " + OTHERWISE_WRITTEN + ":" + port));
            assertThat(running.gateway.generation()).isEqualTo(2);
            assertThat(running.gateway.addresses()).as("one for each server").hasSize(4);
            client.send("of the last", new InetSocketAddress(InetAddress.getLoopbackAddress(), last));
            client.expect("of the last");

            // The other one leaves first.
            Await.until("bound", () -> isReloaded(running, OTHERWISE_WRITTEN));

            client.send("one", address());
            client.expect("one");
        }
    }

    private static boolean isReloaded(Running running, String host) {
        try {
            return running.reload(host).isEmpty();
        } catch (StartException e) {
            return false;
        }
    }

    private interface Step {
        void run() throws StartException;
    }

    private static void onSystemWithoutSharedPorts(Step what) throws StartException {
        String name = System.getProperty("os.name");
        System.setProperty("os.name", "another");
        try {
            what.run();
        } finally {
            System.setProperty("os.name", name);
        }
    }
}
