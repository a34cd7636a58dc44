package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.SecureNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** TLS passes through a TCP server undecrypted, to where what the client says first leads. */
class PassedTlsTest extends CertifiedFixture {
    /** A fatal alert, unrecognized_name. */
    private static final byte[] UNKNOWN_NAME = {21, 3, 3, 0, 2, 2, 112};
    /** A fatal alert, decode_error. */
    private static final byte[] MALFORMED = {21, 3, 3, 0, 2, 2, 50};

    private final RawServer node = RawServer.start();
    private final RawServer other = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
        other.close();
    }

    private String url() {
        return "tcp://127.0.0.1:" + other.port();
    }

    /** Expects that what is sent gets to that node as it is. */
    private static void expect(TcpFixture gateway, RawServer at, byte[] hello) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(hello);
            try (RawClient server = at.accept()) {
                assertThat(server.readExactly(hello.length)).isEqualTo(hello);
            }
        }
    }

    @Test
    void theHostThatIsAskedForLeads() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .leads("other", Map.of("sni", List.of("b.example", "*.Below.example")), url())
                .start()) {
            expect(gateway, node, secure.hello("a.example"));
            expect(gateway, other, secure.hello("b.example"));
            expect(gateway, other, secure.hello("x.below.example"));
            expect(gateway, other, secure.hello("X.Y.below.Example"));
            expect(gateway, node, secure.hello("below.example"));
            expect(gateway, node, secure.hello("xb.example"));
        }
    }

    @Test
    void theProtocolThatIsOfferedLeads() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                .leads("other", Map.of("alpn", "acme-tls/1", "sni", "a.example"), url())
                .start()) {
            expect(gateway, node, secure.hello("a.example"));
            expect(gateway, other, secure.speaking("h2", "acme-tls/1").hello("a.example"));
            expect(gateway, node, secure.hello("b.example"));
            expect(gateway, node, secure.speaking("h2").hello("a.example"));
        }
    }

    @Test
    void whatIsEncryptedPassesAsItIs() throws Exception {
        SecureNode ending = new SecureNode(certificates.issued("b.example"), null);
        try (TcpFixture gateway = TcpFixture.to(node)
                .leads("other", Map.of("sni", "b.example"), url())
                .nowhereElse()
                .start()) {
            CompletableFuture<RawClient> accepted =
                    CompletableFuture.supplyAsync(() -> accept(ending), Thread::startVirtualThread);
            try (RawClient client = secure.connect(gateway.port(), "b.example");
                    RawClient server = accepted.get()) {
                client.send("ping");
                assertThat(new String(server.readExactly(4), US_ASCII)).isEqualTo("ping");
                server.send("pong");
                assertThat(new String(client.readExactly(4), US_ASCII)).isEqualTo("pong");
                client.socket().close();
                assertThat(server.readUntilClose()).isEmpty();
                server.socket().close();
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isZero();
        }
    }

    private RawClient accept(SecureNode ending) {
        try {
            return RawClient.of(ending.wrap(other.accept().socket()), Duration.ofSeconds(10));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theHelloComesInPieces() throws Exception {
        byte[] hello = secure.hello("b.example");
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .start();
                RawClient client = gateway.connect()) {
            client.sendByteByByte(hello).send("and more");
            try (RawClient server = other.accept()) {
                assertThat(server.readExactly(hello.length)).isEqualTo(hello);
                assertThat(new String(server.readExactly(8), US_ASCII)).isEqualTo("and more");
            }
        }
    }

    /** RFC 8446 section 5.1: a message may be cut into several records. */
    @Test
    void theHelloComesInSeveralRecords() throws Exception {
        byte[] whole = secure.hello("b.example");
        int bytes = whole.length - 5;
        byte[] first = Headers.joined(new byte[] {22, 3, 1, 0, 60}, Arrays.copyOfRange(whole, 5, 65));
        byte[] second = Headers.joined(
                new byte[] {22, 3, 1, (byte) ((bytes - 60) >> 8), (byte) (bytes - 60)},
                Arrays.copyOfRange(whole, 65, whole.length));
        try (TcpFixture gateway = TcpFixture.to(node)
                .leads("other", Map.of("sni", "b.example"), url())
                .start()) {
            expect(gateway, other, Headers.joined(first, second));
        }
    }

    @Test
    void whoAsksForWhatNobodyHasIsToldSo() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .nowhereElse()
                        .start();
                RawClient client = gateway.connect()) {
            client.send(secure.hello("c.example"));
            assertThat(client.readUntilClose()).isEqualTo(UNKNOWN_NAME);
            gateway.awaitFaults(Fault.NO_ROUTE, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isZero();
        }
    }

    @Test
    void whatIsNoTlsIsRefused() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("SSH-2.0-x\r\n");
            client.expectClosed();
            gateway.awaitFaults(Fault.HANDSHAKE_FAILED, 1);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
        }
    }

    @Test
    void aMalformedHelloIsToldSo() throws Exception {
        byte[] hello = secure.hello("b.example");
        // The length of its session.
        hello[5 + 4 + 2 + 32] = (byte) 0xFF;
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(hello);
            assertThat(client.readUntilClose()).isEqualTo(MALFORMED);
            gateway.awaitFaults(Fault.HANDSHAKE_FAILED, 1);
        }
    }

    @Test
    void aHelloThatDoesNotComeInTimeOrIsCut() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .top("timeouts", Map.of("handshake", "300ms"))
                        .start();
                RawClient silent = gateway.connect();
                RawClient slow = gateway.connect();
                RawClient cut = gateway.connect()) {
            slow.send(Arrays.copyOf(secure.hello("b.example"), 40));
            cut.send(Arrays.copyOf(secure.hello("b.example"), 40)).halfClose();
            cut.expectClosed();
            silent.expectClosed();
            slow.expectClosed();
            gateway.awaitCount(Counter.TLS_HANDSHAKES_LATE, 2);
            gateway.awaitCount(Counter.TLS_HANDSHAKES_FAILED, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aHeaderOfAProxyComesBefore() throws Exception {
        byte[] hello = secure.hello("b.example");
        byte[] header = "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\n".getBytes(US_ASCII);
        try (TcpFixture gateway = TcpFixture.to(node)
                        .leads("other", Map.of("sni", "b.example"), url())
                        .server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.1"))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Headers.joined(header, hello));
            try (RawClient server = other.accept()) {
                assertThat(server.readExactly(hello.length)).isEqualTo(hello);
            }
        }
    }
}
