package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.SecureClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS of clients ends at a TCP server: its bytes pass decrypted, and its end is told from a connection that was cut. */
class EncryptedSessionsTest extends CertifiedFixture {
    private static final int MANY = 3 << 20;
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    private Map<String, Object> shown(String... hosts) {
        CertificateFiles files = certificates.files(certificates.issued(hosts));
        return Map.of(
                "certPath", files.certificates().toString(),
                "keyPath", files.all().get(1).toString());
    }

    private TcpFixture.Builder ending() {
        return TcpFixture.to(node).server("ssl", shown("a.example"));
    }

    private static String text(RawClient from, int bytes) throws IOException {
        return new String(from.readExactly(bytes), US_ASCII);
    }

    /** A session has no moment at which it would drain: who is let in by what was asked before is in for as long as it likes. */
    @Test
    void aHandshakeThatIsUnderWayIsNotLetInByWhatWasAskedBefore() throws Exception {
        Map<String, Object> ssl = new HashMap<>(shown("a.example"));
        Map<String, Object> patient = Map.of("handshake", "60s");
        TcpFixture.Builder sigma = TcpFixture.to(node).server("ssl", ssl).top("timeouts", patient);
        try (TcpFixture gateway = sigma.start();
                RawClient kept = secure.connect(gateway.port(), "a.example");
                RawClient keptNode = node.accept();
                Socket underWay = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            underWay.setSoTimeout((int) DEADLINE.toMillis());
            underWay.getOutputStream().write(secure.hello("a.example"));
            assertThat(underWay.getInputStream().read()).as("its part has come").isPositive();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 2);

            gateway.reload(sigma.top("timeouts", Map.of("handshake", "50s")));
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 2);
            ssl.put("min-version", "TLSv1.3");
            gateway.reload(sigma.server("ssl", ssl));

            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isEqualTo(1);
            underWay.getInputStream().readAllBytes();
            assertThatThrownBy(() -> secure.only("TLSv1.2").over(silent, "a.example"))
                    .isInstanceOf(IOException.class);
            kept.send("ping");
            assertThat(text(keptNode, 4)).isEqualTo("ping");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void bytesPassBothWays(String version) throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.only(version).connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            client.send("ping");
            assertThat(text(server, 4)).isEqualTo("ping");
            server.send("pong!");
            assertThat(text(client, 5)).isEqualTo("pong!");
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_RECEIVED, 4);
            gateway.awaitCount(Counter.DOWNSTREAM_BYTES_SENT, 5);
            gateway.awaitCount(Counter.TLS_HANDSHAKES, 1);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
        }
    }

    @Test
    void theNodeMaySpeakFirst() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            server.send("220 hello\r\n");
            assertThat(text(client, 11)).isEqualTo("220 hello\r\n");
        }
    }

    @Test
    void muchPassesBothWays() throws Exception {
        GeneratedBody body = GeneratedBody.of(7, MANY);
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            Thread up = Thread.startVirtualThread(() -> send(client, body));
            assertThat(server.readExactly(MANY)).isEqualTo(body.toBytes());
            up.join();
            Thread down = Thread.startVirtualThread(() -> send(server, body));
            assertThat(client.readExactly(MANY)).isEqualTo(body.toBytes());
            down.join();
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
    void aClientThatSaysThatItEndsHasEnded() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            client.send("question");
            assertThat(text(server, 8)).isEqualTo("question");
            server.send("answer");
            assertThat(text(client, 6)).isEqualTo("answer");
            client.send("bye");
            client.socket().close();
            assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo("bye");
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
            assertThat(gateway.count(Counter.SESSIONS_CUT)).isZero();
        }
    }

    /** Its bytes may be cut short by whoever is on the way: the node is not to take them for all. */
    @Test
    void aClientThatDoesNotSaySoIsCut() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient under = RawClient.connect(gateway.port());
                RawClient client = RawClient.of(secure.over(under.socket(), "a.example"), DEADLINE);
                RawClient server = node.accept()) {
            client.send("half of it");
            assertThat(text(server, 10)).isEqualTo("half of it");
            under.halfClose();
            server.expectReset();
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aNodeThatEndsIsHeardOut(String version) throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.only(version).connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            client.send("all?");
            assertThat(text(server, 4)).isEqualTo("all?");
            server.send("all I have").halfClose();
            assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("all I have");
            client.socket().close();
            server.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    /** In TLS 1.2 a client that hears close_notify ends, too. */
    @Test
    void aNodeThatEndsFirstStillGetsTheRest() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            server.send("all I have").halfClose();
            assertThat(new String(client.readUntilClose(), US_ASCII)).isEqualTo("all I have");
            GeneratedBody rest = GeneratedBody.of(3, 800_000);
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(client, rest), Thread::startVirtualThread);
            assertThat(Hash.of(server.readExactly(800_000))).isEqualTo(rest.sha256());
            sent.join();
            server.expectSilence(Duration.ofMillis(200));
            client.socket().close();
            server.expectCleanClose();
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    @Test
    void aResetOfTheNodeIsNoEndForTheClient() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            server.send("half of it");
            assertThat(text(client, 10)).isEqualTo("half of it");
            server.reset();
            assertThatThrownBy(() -> client.socket().getInputStream().read()).isInstanceOf(IOException.class);
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
        }
    }

    @Test
    void whatIsNoTlsIsRefused() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\n\r\n");
            client.expectClosed();
            gateway.awaitFaults(Fault.HANDSHAKE_FAILED, 1);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isZero();
        }
    }

    @Test
    void whoTakesTooLongIsLetGo() throws Exception {
        byte[] hello = secure.hello("a.example");
        try (TcpFixture gateway =
                        ending().top("timeouts", Map.of("handshake", "300ms")).start();
                RawClient silent = gateway.connect();
                RawClient slow = gateway.connect();
                RawClient half = gateway.connect()) {
            slow.send(Arrays.copyOf(hello, 20));
            half.send(hello);
            silent.expectClosed();
            slow.expectClosed();
            half.readUntilClose();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_LATE, 3);
            gateway.awaitFaults(Fault.HANDSHAKE_FAILED, 3);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aHelloComesInPieces() throws Exception {
        try (TcpFixture gateway = ending().start();
                RawClient client = gateway.connect()) {
            client.sendByteByByte(secure.hello("a.example"));
            // What the gateway says then is a handshake.
            assertThat(client.readExactly(1)).containsExactly(22);
        }
    }

    @Test
    void aHeaderOfAProxyComesBeforeTheHandshake() throws Exception {
        try (TcpFixture gateway = ending().server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.1"))
                        .pass("proxy-protocol", "v1")
                        .start();
                RawClient under = gateway.connect()) {
            String header = "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\n";
            under.send(header);
            try (RawClient client = RawClient.of(secure.over(under.socket(), "a.example"), DEADLINE);
                    RawClient server = node.accept()) {
                client.send("ping");
                assertThat(text(server, header.length() + 4)).isEqualTo(header + "ping");
            }
        }
    }

    /** As a proxy that passes TLS through does it. */
    @Test
    void aHeaderOfAProxyComesWithTheHello() throws Exception {
        try (TcpFixture gateway = ending().server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.1"))
                        .start();
                RawClient client = gateway.connect()) {
            byte[] header = "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\n".getBytes(US_ASCII);
            client.send(Headers.joined(header, secure.hello("a.example")));
            assertThat(client.readExactly(1)).containsExactly(22);
        }
    }

    @Test
    void aPluginRefusesBeforeAnythingIsDecrypted() throws Exception {
        try (TcpFixture gateway = ending().server(
                        "plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.0/8"))))
                .start()) {
            assertThatThrownBy(() -> secure.connect(gateway.port(), "a.example"))
                    .isInstanceOf(IOException.class);
            gateway.awaitFaults(Fault.SESSION_REFUSED, 1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isZero();
        }
    }

    @Test
    void aProtocolIsAgreedOn() throws Exception {
        Map<String, Object> ssl = new HashMap<>(shown("a.example"));
        ssl.put("alpn", List.of("h2", "mqtt"));
        try (TcpFixture gateway = TcpFixture.to(node).server("ssl", ssl).start()) {
            assertThat(agreed(gateway, "http/1.1", "mqtt")).isEqualTo("mqtt");
            assertThat(agreed(gateway, "mqtt", "h2")).isEqualTo("h2");
            assertThatThrownBy(() -> agreed(gateway, "postgresql")).hasMessageContaining("no_application_protocol");
            assertThat(agreed(gateway)).isEmpty();
        }
    }

    private String agreed(TcpFixture gateway, String... protocols) throws IOException {
        try (SSLSocket socket = secure.speaking(protocols).handshake(gateway.port(), "a.example")) {
            return socket.getApplicationProtocol();
        }
    }

    private SecureClient other() {
        return new SecureClient(certificates.authority(), null);
    }

    @Test
    void itIsRoutedByTheNameThatWasAskedFor() throws Exception {
        try (RawServer other = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node)
                        .server("ssl", shown("a.example", "b.example"))
                        .leads("b", Map.of("sni", "b.example"), "tcp://127.0.0.1:" + other.port())
                        .start();
                RawClient first = secure.connect(gateway.port(), "a.example");
                RawClient ofFirst = node.accept();
                // The JDK resumes the session of before, and asks for the host of that.
                RawClient second = other().connect(gateway.port(), "B.example");
                RawClient ofSecond = other.accept()) {
            first.send("one");
            second.send("two");
            assertThat(text(ofFirst, 3)).isEqualTo("one");
            assertThat(text(ofSecond, 3)).isEqualTo("two");
        }
    }

    @Test
    void aCertificateIsReadAgain() throws Exception {
        CertificateFiles files = certificates.files(certificates.issued("a.example"));
        Map<String, Object> ssl = Map.of(
                "certPath",
                files.certificates().toString(),
                "keyPath",
                files.all().get(1).toString());
        try (TcpFixture gateway = TcpFixture.to(node).server("ssl", ssl).start();
                RawClient before = secure.connect(gateway.port(), "a.example");
                RawClient server = node.accept()) {
            Certificates.write(files, certificates.issued("renewed.example"));
            Await.until("the new one is shown", () -> shown(gateway).equals("CN=renewed.example"));
            before.send("still");
            assertThat(text(server, 5)).isEqualTo("still");
        }
    }

    private String shown(TcpFixture gateway) {
        try (SSLSocket socket = secure.handshake(gateway.port(), "a.example")) {
            return socket.getSession().getPeerPrincipal().getName();
        } catch (SSLException e) {
            return e.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
