package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.SecureNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bolt over TLS, on either side. */
class EncryptedCallsTest extends CertifiedFixture {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** A client that drains and is quiet is closed long before. */
    private static final Duration QUIET = Duration.ofSeconds(1);

    private final RawServer server = RawServer.start();

    private SecureNode ending;

    @BeforeEach
    void prepare() throws IOException {
        ending = new SecureNode(certificates.issued("node.example"), null);
        Files.writeString(authority(), certificates.authority().getCertificatePEM());
    }

    private Path authority() {
        return dir.resolve("authority.pem");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Map<String, Object> shown() {
        CertificateFiles files = certificates.files(certificates.issued("a.example"));
        return Map.of(
                "certPath", files.certificates().toString(),
                "keyPath", files.all().get(1).toString());
    }

    private CompletableFuture<RawClient> accepting() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return RawClient.of(ending.wrap(server.accept().socket()), DEADLINE);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private BoltFixture.Builder onBothSides() {
        return BoltFixture.to()
                .secureNode(server.port())
                .server("ssl", shown())
                .upstream("ssl", Map.of("ca", authority().toString(), "server-name", "node.example"));
    }

    @Test
    void callsPassOnBothSides() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides().start();
                RawClient one = secure.connect(gateway.port(), "a.example");
                RawClient two = secure.connect(gateway.port(), "a.example")) {
            int calls = 300;
            for (int i = 0; i < calls; i++) {
                one.send(BoltMessage.request(1, i, "a.B", "one " + i).bytes());
                two.send(BoltMessage.request(1, i, "a.B", "x".repeat(i * 20)).bytes());
            }
            try (RawClient node = accepted.get()) {
                Echo.serve(node);
                Set<String> seen = new HashSet<>();
                List<Integer> lengths = new ArrayList<>();
                for (int i = 0; i < calls; i++) {
                    seen.add(new String(BoltMessage.read(one).content(), java.nio.charset.StandardCharsets.US_ASCII));
                    lengths.add(BoltMessage.read(two).content().length);
                }
                assertThat(seen).hasSize(calls);
                assertThat(lengths.stream().distinct()).hasSize(calls);
                gateway.awaitCount(Counter.CALLS_SUCCEEDED, 2L * calls);
                gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
                gateway.awaitCount(Counter.TLS_HANDSHAKES, 2);
                assertThat(ending.host(0)).isEqualTo("node.example");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyCutOfACallIsTheSame(int layout) throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides().start();
                RawClient client = secure.connect(gateway.port(), "a.example")) {
            BoltMessage request = BoltMessage.request(layout, 5, "com.acme.Request", "ask");
            client.sendByteByByte(request.bytes());
            try (RawClient node = accepted.get()) {
                BoltMessage there = BoltMessage.read(node);
                node.sendByteByByte(there.answer("answered").bytes());
                assertThat(BoltMessage.read(client).bytes())
                        .isEqualTo(request.answer("answered").bytes());
            }
        }
    }

    @Test
    void aClientThatEndsIsGone() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides().start()) {
            try (RawClient client = secure.connect(gateway.port(), "a.example")) {
                client.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
                BoltMessage.read(accepted.get());
            }
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
            gateway.awaitCount(Counter.CALLS_IN_FLIGHT, 0);
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
            accepted.get().close();
        }
    }

    @Test
    void anIdleClientIsToldThatItEnds() throws Exception {
        try (BoltFixture gateway = onBothSides().server("idle-timeout", "1s").start();
                RawClient client = secure.connect(gateway.port(), "a.example")) {
            assertThat(client.readUntilClose()).isEmpty();
            gateway.awaitCount(Counter.DOWNSTREAM_IDLE_TIMEOUTS, 1);
        }
    }

    /** Nothing was said on the connection yet, and a call is under way by what was asked before. */
    @Test
    void aHandshakeThatBeginsAfterAReloadIsByWhatIsAskedThen() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        BoltFixture.Builder sigma = onBothSides();
        try (BoltFixture gateway = sigma.start();
                RawClient busy = secure.connect(gateway.port(), "a.example");
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            busy.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
            RawClient node = accepted.get();
            BoltMessage asked = BoltMessage.read(node);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 1);

            Map<String, Object> requiring = new LinkedHashMap<>(shown());
            requiring.put("client-auth", "require");
            requiring.put("client-ca", authority().toString());
            sigma.server("ssl", requiring);
            gateway.reload();

            assertThatThrownBy(() -> secure.over(silent, "a.example")).isInstanceOf(IOException.class);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
            node.send(asked.answer("answered").bytes());
            assertThat(BoltMessage.read(busy).id()).isEqualTo(5);
            node.close();
        }
    }

    /** Nothing was said on the connection yet. */
    @Test
    void aClientWhoseServerIsBackAtOnceStays() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        int[] ports = FreePorts.several(2);
        BoltFixture.Builder sigma = onBothSides().server("port", ports[0]);
        try (BoltFixture gateway = sigma.start();
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), ports[0])) {
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 1);

            sigma.server("port", ports[1]);
            gateway.reload();
            sigma.server("port", ports[0]);
            gateway.reload();

            silent.setSoTimeout((int) QUIET.toMillis());
            assertThatThrownBy(() -> silent.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            try (RawClient client = RawClient.of(secure.over(silent, "a.example"), DEADLINE)) {
                client.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
                RawClient node = accepted.get();
                node.send(BoltMessage.read(node).answer("answered").bytes());
                assertThat(BoltMessage.read(client).id()).isEqualTo(5);
                node.close();
            }
        }
    }

    /** As of HTTP: who is in its handshake goes on with it, who hasn't begun has as long as an idle connection. */
    @Test
    void aHandshakeGoesOnWhereItsServerIsGone() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        int[] ports = FreePorts.several(2);
        BoltFixture.Builder sigma = onBothSides().server("port", ports[0]).top("timeouts", Map.of("drain-idle", "2s"));
        try (BoltFixture gateway = sigma.start();
                Socket late = new Socket(InetAddress.getLoopbackAddress(), ports[0]);
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), ports[0])) {
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 2);

            sigma.server("port", ports[1]);
            gateway.reload();

            late.setSoTimeout((int) QUIET.toMillis());
            assertThatThrownBy(() -> late.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            try (RawClient client = RawClient.of(secure.over(late, "a.example"), DEADLINE)) {
                client.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
                RawClient node = accepted.get();
                node.send(BoltMessage.read(node).answer("answered").bytes());
                assertThat(BoltMessage.read(client).id()).isEqualTo(5);
                assertThat(client.readUntilClose()).isEmpty();
                node.close();
            }
            silent.setSoTimeout((int) DEADLINE.dividedBy(2).toMillis());
            assertThat(silent.getInputStream().read()).isNegative();
        }
    }

    @Test
    void whatIsNoTlsIsRefused() throws Exception {
        try (BoltFixture gateway = onBothSides().start();
                RawClient client = gateway.connect()) {
            client.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
            client.expectClosed();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
            gateway.awaitFaults(Fault.HANDSHAKE_FAILED, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    @Test
    void aNodeThatIsNotTrustedGetsNoCall() throws Exception {
        ending = new SecureNode(new Certificates(dir).issued("node.example"), null);
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides().start();
                RawClient client = secure.connect(gateway.port(), "a.example")) {
            client.send(BoltMessage.request(1, 5, "a.B", "ask").bytes());
            assertThat(BoltMessage.read(client).id()).isEqualTo(5);
            assertThatThrownBy(accepted::get).hasCauseInstanceOf(UncheckedIOException.class);
            gateway.awaitFaults(Fault.TLS_FAILED, 1);
        }
    }

    @Test
    void inModeRelayToo() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides().relay().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient node = accepted.get()) {
            BoltMessage request = BoltMessage.request(1, 5, "a.B", "ask");
            client.send(request.bytes());
            assertThat(BoltMessage.read(node).bytes()).isEqualTo(request.bytes());
        }
    }

    @Test
    void nodesAreCheckedInTheSameWay() throws Exception {
        Map<String, Object> check = Map.of("interval", "1s", "bolt", Map.of());
        CompletableFuture<RawClient> accepted = accepting();
        try (BoltFixture gateway = onBothSides()
                        .upstream("health", Map.of("active", check))
                        .start();
                RawClient node = accepted.get()) {
            assertThat(BoltMessage.read(node).bytes()).isNotEmpty();
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isZero();
        }
    }
}
