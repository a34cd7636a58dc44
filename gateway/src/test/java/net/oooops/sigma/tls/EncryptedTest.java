package net.oooops.sigma.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.ChangedRecord;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP over TLS, as clients of the JDK's see it. */
class EncryptedTest extends CertifiedFixture {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";

    private GatewayBuilder encrypted(ScriptedUpstream node, String... hosts) {
        return GatewayFixture.to(node).tls(Certificates.config(certificates.shown(certificates.issued(hosts))));
    }

    private SecureClient client() {
        return new SecureClient(certificates.authority(), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void requestsAreAnsweredOneAfterTheOther(String version) throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                RawClient client = client().only(version).connect(gateway.port(), "a.example")) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("yes");
            }
            ReceivedRequest seen = node.request(0);
            assertThat(seen.header("X-Forwarded-Proto")).isEqualTo("https");
            assertThat(seen.header("Forwarded")).contains(";proto=https;");
            assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "ecp384", "rsa2048", "rsa3072", "ed25519"})
    void everyKindOfKeyIsShown(Algorithm algorithm) throws Exception {
        X509Bundle issued =
                Certificates.issued(Certificates.builder("a.example").algorithm(algorithm), certificates.authority());
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .tls(Certificates.config(certificates.shown(issued)))
                        .start()) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                try (RawClient client = client().only(version).connect(gateway.port(), "a.example")) {
                    assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("yes");
                }
            }
        }
    }

    @Test
    void largeBodiesPassBothWays() throws IOException {
        byte[] large = new byte[5 << 20];
        new java.util.Random(1).nextBytes(large);
        try (ScriptedUpstream node =
                        ScriptedUpstream.start(request -> Answer.ok("").body(large));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                RawClient client = client().connect(gateway.port(), "a.example")) {
            client.send("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: " + large.length + "\r\n\r\n");
            client.send(large);
            assertThat(client.readResponse().body()).isEqualTo(large);
            assertThat(node.request(0).bodyBytes()).isEqualTo(large.length);
        }
    }

    @Test
    void theHostThatIsAskedForDecides() throws Exception {
        TlsConfig config = Certificates.config(
                certificates.shown(certificates.issued("a.example")),
                certificates.shown(certificates.issued("b.example"), "b.example", "*.b.example"));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start()) {
            assertThat(shownTo(gateway, "a.example")).isEqualTo("CN=a.example");
            assertThat(shownTo(gateway, "B.example")).isEqualTo("CN=b.example");
            assertThat(shownTo(gateway, "x.b.example")).isEqualTo("CN=b.example");
            assertThat(shownTo(gateway, "x.x.b.example")).isEqualTo("CN=a.example");
            assertThat(shownTo(gateway, "other.example")).isEqualTo("CN=a.example");
            assertThat(shownTo(gateway, null)).isEqualTo("CN=a.example");
        }
    }

    private String shownTo(GatewayFixture gateway, @org.jspecify.annotations.Nullable String host) throws IOException {
        try (SSLSocket socket = client().handshake(gateway.port(), host)) {
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return shown.getSubjectX500Principal().getName();
        }
    }

    /** Names of containers have underscores, and some clients leave the dot at the end. */
    @ParameterizedTest
    @ValueSource(strings = {"my_app.example", "a.example.", "-a.example", "a..example", "x\u0001y"})
    void aNameThatIsNoHostNameToTheJdkIsOne(String name) throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start()) {
            if (TlsEngines.provider() == SslProvider.JDK) {
                // Its own engine takes none of them: all that is left is to say so, and to let the connection go.
                assertThatThrownBy(() -> client().connect(gateway.port(), name)).isInstanceOf(SSLException.class);
                Await.until("it is closed", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
                assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isEqualTo(1);
                return;
            }
            try (RawClient client = client().connect(gateway.port(), name)) {
                client.send("GET / HTTP/1.1\r\nHost: my_app.example\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(name.startsWith("my") ? 200 : 421);
            }
            Await.until("it is closed", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
        }
    }

    @Test
    void whoAsksForAnotherHostIsRefusedWhereThatIsStrict() throws IOException {
        TlsConfig config = new TlsConfig(
                List.of(certificates.shown(certificates.issued("a.example"))),
                Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                List.of(),
                true,
                Clients.UNASKED,
                false,
                null,
                "/ssl");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start()) {
            assertThat(shownTo(gateway, "a.example")).isEqualTo("CN=a.example");
            assertThatThrownBy(() -> shownTo(gateway, "b.example"))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("unrecognized_name");
            assertThatThrownBy(() -> shownTo(gateway, null)).isInstanceOf(SSLException.class);
            Await.until("both are counted", () -> gateway.count(Counter.TLS_HANDSHAKES_FAILED) == 2);
        }
    }

    /** RFC 7301 section 3.2. */
    @Test
    void whoSpeaksNothingThatIsSpokenIsRefused() throws IOException {
        TlsConfig config = Encryption.SHARED.speaking("h2", "http/1.1");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start()) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                assertThatThrownBy(() -> client().only(version)
                                .speaking("h3", "foo")
                                .handshake(gateway.port(), "a.example")
                                .close())
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("no_application_protocol");
            }
            Await.until("both are counted", () -> gateway.count(Counter.TLS_HANDSHAKES_FAILED) == 2);
        }
    }

    @Test
    void whoOffersNoneOrOneThatIsSpokenIsServed() throws IOException {
        TlsConfig config = ChangedRecord.with(
                Certificates.config(certificates.shown(certificates.issued("a.example"))),
                "alpn",
                List.of("h2", "http/1.1"));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start()) {
            try (RawClient client = client().connect(gateway.port(), "a.example")) {
                assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("yes");
            }
            try (RawClient client = client().speaking("foo", "http/1.1").connect(gateway.port(), "a.example")) {
                assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("yes");
            }
        }
    }

    @Test
    void aRequestForAnotherHostThanTheConnectionsIs421() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .tls(Certificates.config(
                                certificates.shown(certificates.issued("a.example"), "a.example", "*.c.example")))
                        .start();
                RawClient client = client().connect(gateway.port(), "a.example")) {
            assertThat(ask(client, "A.example:8443")).isEqualTo(200);
            assertThat(ask(client, "x.c.example"))
                    .as("the certificate is for it")
                    .isEqualTo(200);
            assertThat(client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                            .readResponse()
                            .status())
                    .as("for no host")
                    .isEqualTo(200);
            assertThat(ask(client, "b.example")).isEqualTo(421);
            assertThat(gateway.faults(Fault.MISDIRECTED)).isEqualTo(1);
        }
    }

    private static int ask(RawClient client, String host) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                .readResponse()
                .status();
    }

    /** RFC 5746 closed a hole in it; to refuse it closes all others. */
    @Test
    void aSecondHandshakeOnAConnectionIsRefused() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                SSLSocket socket = client().only("TLSv1.2").handshake(gateway.port(), "a.example")) {
            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        socket.getInputStream().read();
                    })
                    .isInstanceOf(IOException.class);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void plainHttpIsToldSo() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                RawClient client = RawClient.connect(gateway.port())) {
            RawResponse response = client.send(GET).readResponse();

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.bodyText()).contains("https");
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void whoSaysNothingInTimeIsClosed() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example")
                        .timeout("handshakeNanos", Duration.ofMillis(200))
                        .start();
                RawClient silent = RawClient.connect(gateway.port());
                RawClient slow = RawClient.connect(gateway.port())) {
            slow.send(new byte[] {22, 3, 1, 1, 0});
            silent.expectClosed();
            slow.expectClosed();
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_LATE)).isEqualTo(2);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT)).isZero();
        }
    }

    /**
     * With TLS 1.3 the client speaks last in the handshake, and whoever gathers what he sends (Nagle) sends nothing until that is
     * acknowledged, which a system puts off for at least 40 ms.
     */
    @Test
    void theEndOfAHandshakeIsAcknowledgedAtOnce() throws IOException {
        long least = Long.MAX_VALUE;
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start()) {
            for (int i = 0; i < 10; i++) {
                try (RawClient client = client().only("TLSv1.3").connect(gateway.port(), "a.example")) {
                    client.socket().setTcpNoDelay(false);
                    long began = System.nanoTime();
                    assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
                    least = Math.min(least, System.nanoTime() - began);
                }
            }
        }
        assertThat(Duration.ofNanos(least)).isLessThan(Duration.ofMillis(35));
    }

    /** Those who haven't said all that they say first hold nobody up. */
    @Test
    void halfAHelloHasNoPlace() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        encrypted(node, "a.example").limit("handshakesMax", 1).start();
                RawClient half = RawClient.connect(gateway.port());
                RawClient one = RawClient.connect(gateway.port())) {
            half.send(Arrays.copyOf(client().hello("a.example"), 100));
            one.send(new byte[] {22});
            Await.until("there", () -> gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT) == 2);
            try (RawClient client = client().connect(gateway.port(), "a.example")) {
                assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
            }
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_CROWDED)).isZero();
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT)).isEqualTo(2);
        }
    }

    @Test
    void aHelloMayComeByteByByte() throws IOException {
        byte[] hello = client().hello("a.example");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                RawClient client = RawClient.connect(gateway.port())) {
            client.sendByteByByte(hello);
            assertThat(client.readExactly(1)[0])
                    .as("a record of the server's hello")
                    .isEqualTo((byte) 22);
        }
    }

    /** Where more is kept of hellos than may be, those that have been coming the longest have to come again. */
    @Test
    void hellosThatDoNotEndAreBoundedTogether() throws IOException {
        byte[] begin = new byte[15_000];
        System.arraycopy(new byte[] {22, 3, 1, 0x40, 0, 1, 0, 0x3F, (byte) 0xF0}, 0, begin, 0, 9);
        List<RawClient> all = new ArrayList<>();
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = encrypted(node, "a.example").start()) {
            int count = (8 << 20) / begin.length + 10;
            for (int i = 0; i < count; i++) {
                all.add(RawClient.connect(gateway.port()).send(begin));
            }
            Await.until("some have to come again", () -> gateway.count(Counter.TLS_HANDSHAKES_CROWDED) == 10);
            all.getFirst().expectClosed();
            try (RawClient client = client().connect(gateway.port(), "a.example")) {
                assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
            }
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT)).isEqualTo(count - 10);
        } finally {
            all.forEach(RawClient::close);
        }
    }

    @Test
    void thoseBeyondTheBoundWaitForTheirTurn() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        encrypted(node, "a.example").limit("handshakesMax", 1).start();
                RawClient holds = RawClient.connect(gateway.port())) {
            holds.send(client().hello("a.example"));
            assertThat(holds.readExactly(1)[0]).as("its handshake is under way").isEqualTo((byte) 22);
            // It waits until the other one has had a second.
            try (RawClient client = client().connect(gateway.port(), "a.example")) {
                assertThat(client.send(GET).readResponse().status()).isEqualTo(200);
            }
            assertThat(holds.readUntilClose())
                    .as("the rest of the server's hello")
                    .isNotEmpty();
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_CROWDED)).isEqualTo(1);
        }
    }

    /** Only whoever says that it is the end says so: what is cut has no end that could be taken for one. */
    @Test
    void anAnswerThatIsCutHasNoCloseNotify() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.0 200 OK\r\n\r\npart")
                        .reset());
                GatewayFixture gateway = encrypted(node, "a.example").start();
                SSLSocket socket = client().handshake(gateway.port(), "a.example")) {
            socket.getOutputStream().write("GET /a HTTP/1.0\r\nHost: a.example\r\n\r\n".getBytes(US_ASCII));
            assertThatThrownBy(() -> socket.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
        }
    }

    /** It isn't kept for a while to be told that this is the end. */
    @Test
    void whoIsGoneWithoutReadingIsClosedAtOnce() throws IOException {
        try (ScriptedUpstream node =
                        ScriptedUpstream.start(request -> Answer.ok("").body(GeneratedBody.of(1, 32 << 20)));
                GatewayFixture gateway = encrypted(node, "a.example").start();
                SSLSocket client = client().handshake(gateway.port(), "a.example")) {
            client.getOutputStream().write(GET.getBytes(US_ASCII));
            Await.until("it is answered", () -> node.requestCount() == 1);
            client.shutdownOutput();
            long began = System.nanoTime();
            Await.until("it is closed", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void anAnswerThatEndsWithItsConnectionHasOne() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.0 200 OK\r\n\r\nall")
                        .close());
                GatewayFixture gateway = encrypted(node, "a.example").start();
                SSLSocket socket = client().handshake(gateway.port(), "a.example")) {
            socket.getOutputStream().write("GET /a HTTP/1.0\r\nHost: a.example\r\n\r\n".getBytes(US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .endsWith("\r\n\r\nall");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aClientsCertificateIsAskedForAndHandedOn(String version) throws Exception {
        TlsConfig config = new TlsConfig(
                List.of(certificates.shown(certificates.issued("a.example"))),
                Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                List.of(),
                false,
                new Clients(
                        ClientAuth.REQUIRE,
                        null,
                        new Found(List.of(certificates.authority().getCertificate()), List.of())),
                false,
                null,
                "/ssl");
        X509Bundle own = certificates.issued("client");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start();
                RawClient client = new SecureClient(certificates.authority(), own)
                        .only(version)
                        .connect(gateway.port(), "a.example")) {
            client.send("GET / HTTP/1.1\r\nHost: a.example\r\nClient-Cert: :aaaa:\r\nclient_cert: x\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            String expected = ":"
                    + Base64.getEncoder().encodeToString(own.getCertificate().getEncoded()) + ":";
            assertThat(node.request(0).headers().values("Client-Cert")).containsExactly(expected);
            assertThat(node.request(0).headers().values("client_cert")).isEmpty();

            assertThatThrownBy(() -> {
                        try (SSLSocket without = client().only(version).handshake(gateway.port(), "a.example")) {
                            without.getOutputStream().write(1);
                            without.getInputStream().read();
                        }
                    })
                    // What the client still says may come to a closed connection before it hears why.
                    .isInstanceOf(IOException.class);
            assertThat(node.requestCount()).isEqualTo(1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isEqualTo(1);
        }
    }
}
