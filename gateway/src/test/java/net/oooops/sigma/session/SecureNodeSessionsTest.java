package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.SecureNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions with nodes that TLS is spoken to. */
class SecureNodeSessionsTest extends CertifiedFixture {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final RawServer node = RawServer.start();

    private SecureNode ending;

    @BeforeEach
    void prepare() {
        ending = new SecureNode(certificates.issued("node.example"), null);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private TcpFixture.Builder encrypting() throws IOException {
        return encrypting(node.port());
    }

    private TcpFixture.Builder encrypting(int... ports) throws IOException {
        Path authority = dir.resolve("authority.pem");
        Files.writeString(authority, certificates.authority().getCertificatePEM());
        TcpFixture.Builder builder = TcpFixture.to();
        for (int port : ports) {
            builder.secureNode(port);
        }
        return builder.upstream("ssl", Map.of("ca", authority.toString(), "server-name", "node.example"));
    }

    private CompletableFuture<RawClient> accepting() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return RawClient.of(ending.wrap(node.accept().socket()), DEADLINE);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private static String text(RawClient from, int bytes) throws IOException {
        return new String(from.readExactly(bytes), US_ASCII);
    }

    @Test
    void bytesPassBothWays() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            client.send("ping");
            assertThat(text(server, 4)).isEqualTo("ping");
            server.send("pong!");
            assertThat(text(client, 5)).isEqualTo("pong!");
            client.send(" bye").halfClose();
            assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo(" bye");
            GeneratedBody rest = GeneratedBody.of(3, 800_000);
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(server, rest), Thread::startVirtualThread);
            assertThat(Hash.of(client.readExactly(800_000))).isEqualTo(rest.sha256());
            sent.join();
            server.socket().close();
            client.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_OPENED, 1);
            assertThat(ending.host(0)).isEqualTo("node.example");
        }
    }

    private static void send(RawClient to, GeneratedBody body) {
        try {
            to.send(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNodeThatSaysThatItEndsHasEnded() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            server.send("all I have");
            server.socket().close();
            assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("all I have");
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    /** What the client still sends then is read, and thrown away: closed with that unread, it would lose the last that it was sent. */
    @Test
    void aClientIsHeardOutThoughItsNodeHasEnded() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            server.send("no more of this");
            server.socket().close();
            client.send("x".repeat(200_000));
            assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("no more of this");
            client.send("x".repeat(200_000)).halfClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    @Test
    void aClientThatNeverEndsIsLetGo() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway =
                        encrypting().top("timeouts", Map.of("linger", "300ms")).start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            server.send("bye");
            server.socket().close();
            assertThat(text(client, 3)).isEqualTo("bye");
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
        }
    }

    @Test
    void aNodeThatClosesInTheHandshakeIsLeftAtOnce() throws Exception {
        try (RawServer closing = RawServer.start();
                TcpFixture gateway = encrypting(closing.port(), node.port())
                        .top("proxy-client", Map.of("connect-timeout", "30s"))
                        .start()) {
            Thread.startVirtualThread(() -> hearAndClose(closing));
            CompletableFuture<RawClient> accepted = accepting();
            try (RawClient client = gateway.connect();
                    RawClient server = accepted.get()) {
                client.send("ping");
                assertThat(text(server, 4)).isEqualTo("ping");
            }
        }
    }

    private static void hearAndClose(RawServer closing) {
        try (RawClient server = closing.accept()) {
            server.readExactly(100);
            server.halfClose();
            server.readUntilClose();
        } catch (IOException e) {
            // As is meant.
        }
    }

    @Test
    void aNodeIsCutAlsoWhereItsClientHasEnded() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            client.send("question").halfClose();
            assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo("question");
            server.send("half of it");
            assertThat(text(client, 10)).isEqualTo("half of it");
            ending.accepted().getFirst().shutdownOutput();
            client.expectReset();
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
        }
    }

    /** What it sent may have been cut short by whoever is on the way. */
    @Test
    void aNodeThatDoesNotSaySoIsCut() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            server.send("half of it");
            assertThat(text(client, 10)).isEqualTo("half of it");
            ending.accepted().getFirst().shutdownOutput();
            client.expectReset();
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
        }
    }

    @Test
    void theHeaderOfTheGatewayComesBeforeTheHandshake() throws Exception {
        try (TcpFixture gateway = encrypting().pass("proxy-protocol", "v1").start();
                RawClient client = gateway.connect();
                RawClient under = node.accept()) {
            String header = "PROXY TCP4 127.0.0.1 127.0.0.1 " + client.localPort() + " " + gateway.port() + "\r\n";
            // And no byte more, as the rest is the handshake's.
            assertThat(new String(under.socket().getInputStream().readNBytes(header.length()), US_ASCII))
                    .isEqualTo(header);
            try (RawClient server = RawClient.of(ending.wrap(under.socket()), DEADLINE)) {
                client.send("ping");
                assertThat(text(server, 4)).isEqualTo("ping");
            }
        }
    }

    @Test
    void aNodeThatIsNotTrustedGetsNothing() throws Exception {
        ending = new SecureNode(new Certificates(dir).issued("node.example"), null);
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway = encrypting().start();
                RawClient client = gateway.connect()) {
            client.send("secret");
            client.expectReset();
            assertThatThrownBy(accepted::get).hasCauseInstanceOf(UncheckedIOException.class);
            gateway.awaitFaults(Fault.TLS_FAILED, 1);
        }
    }

    @Test
    void anotherNodeTakesTheSession() throws Exception {
        CompletableFuture<RawClient> accepted = accepting();
        try (RawServer plain = RawServer.start();
                TcpFixture gateway = encrypting(plain.port(), node.port()).start()) {
            Thread.startVirtualThread(() -> speak(plain));
            try (RawClient client = gateway.connect();
                    RawClient server = accepted.get()) {
                client.send("ping");
                assertThat(text(server, 4)).isEqualTo("ping");
                gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_FAILED, 1);
                assertThat(gateway.count(Counter.SESSIONS_CUT)).isZero();
            }
        }
    }

    private static void speak(RawServer plain) {
        try (RawClient server = plain.accept()) {
            server.send("220 no TLS here\r\n");
            server.readUntilClose();
        } catch (IOException e) {
            // As is meant.
        }
    }

    @Test
    void aNodeIsCheckedInTheSameWay() throws Exception {
        Map<String, Object> check = Map.of("interval", "1s", "tcp", Map.of("send", "ping", "expect", "pong"));
        CompletableFuture<RawClient> accepted = accepting();
        try (TcpFixture gateway =
                        encrypting().upstream("health", Map.of("active", check)).start();
                RawClient server = accepted.get()) {
            assertThat(text(server, 4)).isEqualTo("ping");
            server.send("pong");
            assertThat(gateway.count(Counter.SESSIONS_IN_FLIGHT)).isZero();
            assertThat(ending.host(0)).isEqualTo("node.example");
        }
    }

    @Test
    void protocolsAreOffered() throws Exception {
        ending = ending.speaking("mqtt");
        CompletableFuture<RawClient> accepted = accepting();
        Path authority = dir.resolve("authority.pem");
        try (TcpFixture gateway = encrypting()
                        .upstream(
                                "ssl",
                                Map.of(
                                        "ca",
                                        authority.toString(),
                                        "server-name",
                                        "node.example",
                                        "alpn",
                                        List.of("h2", "mqtt")))
                        .start();
                RawClient client = gateway.connect();
                RawClient server = accepted.get()) {
            client.send("ping");
            assertThat(text(server, 4)).isEqualTo("ping");
            assertThat(ending.protocol()).isEqualTo("mqtt");
        }
    }
}
