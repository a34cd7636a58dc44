package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.NodeTlsConfig.Shown;
import net.oooops.sigma.config.NodeTlsConfig.Trust;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import net.oooops.sigma.testkit.Wrapping;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that are spoken to over TLS. */
class SecureNodesTest extends CertifiedFixture {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
    private static final long CHECK_NANOS = 50_000_000;
    /** For a check with its handshake, where others stall the machine. */
    private static final long CHECK_NANOS_MAX = 10_000_000_000L;

    /** Reads, and says nothing. */
    private static final Wrapping SILENT = connected -> {
        connected.getInputStream().readAllBytes();
        throw new IOException("nothing was said");
    };

    private Trust trust(String... pins) {
        return new Trust(null, List.of(certificates.authority().getCertificate()), List.of(pins), false);
    }

    private static Trust insecure(String... pins) {
        return new Trust(null, List.of(), List.of(pins), true);
    }

    private static NodeTlsConfig tls(Trust trust, @Nullable String serverName, @Nullable Shown shown) {
        return new NodeTlsConfig(
                trust, serverName, shown, Version.TLS_1_2, TlsConfig.CIPHERS_DEFAULT, List.of(), "/ssl");
    }

    private SecureNode node(String... hosts) {
        return new SecureNode(certificates.issued(hosts), null);
    }

    private static ScriptedUpstream serving(Wrapping node) {
        return ScriptedUpstream.start(UpstreamOptions.defaults().withWrapping(node), request -> Answer.ok("yes"));
    }

    private static RawResponse ask(GatewayFixture gateway) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(GET).readResponse();
        }
    }

    /** What a gateway answers that trusts so, in front of a node that shows that. */
    private RawResponse asked(SecureNode node, NodeTlsConfig tls) throws IOException {
        try (ScriptedUpstream upstream = serving(node);
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).nodeTls(tls).start()) {
            RawResponse answer = ask(gateway);
            assertThat(gateway.faults(Fault.TLS_FAILED)).isEqualTo(answer.status() == 200 ? 0 : 1);
            return answer;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void requestsAreEncrypted(String version) throws IOException {
        SecureNode node = node("orders.internal").only(version);
        try (ScriptedUpstream upstream = serving(node);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust(), "orders.internal", null))
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("yes");
            }
            assertThat(node.sessions()).hasSize(1);
            assertThat(node.sessions().getFirst().getProtocol()).isEqualTo(version);
            assertThat(node.host(0)).isEqualTo("orders.internal");
            assertThat(upstream.request(0).header("Host")).isEqualTo("a.example");
        }
    }

    @Test
    void theHostOfTheNodeIsAskedFor() throws IOException {
        SecureNode node = new SecureNode(certificates.issued("localhost"), null);
        try (ScriptedUpstream upstream = serving(node);
                GatewayFixture gateway = GatewayFixture.toHost("localhost", upstream.port())
                        .nodeTls(tls(trust(), null, null))
                        .proxyPass("preserveHost", false)
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(200);
            assertThat(upstream.request(0).header("Host")).isEqualTo("localhost:" + upstream.port());
        }
    }

    @Test
    void anAddressIsVerifiedAsOne() throws IOException {
        CertificateBuilder forAddress =
                new CertificateBuilder().subject("CN=node").addSanIpAddress(InetAddress.getLoopbackAddress());
        X509Bundle shown = Certificates.issued(forAddress, certificates.authority());
        SecureNode node = new SecureNode(shown, null);
        assertThat(asked(node, tls(trust(), null, null)).status()).isEqualTo(200);
        assertThat(node.host(0)).isEmpty();
        assertThat(asked(node("127.0.0.2"), tls(trust(), null, null)).status()).isEqualTo(502);
    }

    @Test
    void anUnknownAuthorityIsNotTrusted() throws IOException {
        Certificates others = new Certificates(dir.resolve("others"));
        SecureNode node = new SecureNode(others.issued("localhost"), null);
        assertThat(asked(node, tls(trust(), "localhost", null)).status()).isEqualTo(502);
        assertThat(asked(node, tls(Trust.DEFAULT, "localhost", null)).status()).isEqualTo(502);
    }

    @Test
    void anExpiredCertificateIsNotTrusted() throws IOException {
        CertificateBuilder old = Certificates.builder("localhost")
                .notBefore(Instant.now().minus(Duration.ofDays(2)))
                .notAfter(Instant.now().minus(Duration.ofDays(1)));
        SecureNode node = new SecureNode(Certificates.issued(old, certificates.authority()), null);
        assertThat(asked(node, tls(trust(), "localhost", null)).status()).isEqualTo(502);
    }

    @Test
    void onlyPinnedKeysAreTrusted() throws Exception {
        X509Bundle shown = certificates.issued("localhost");
        SecureNode node = new SecureNode(shown, null);
        String pin = pin(shown.getCertificate());
        String ofAuthority = pin(certificates.authority().getCertificate());
        assertThat(asked(node, tls(trust(ofAuthority, pin), "localhost", null)).status())
                .isEqualTo(200);
        assertThat(asked(node, tls(trust(ofAuthority), "localhost", null)).status())
                .isEqualTo(502);
        assertThat(asked(node, tls(trust(pin), "other", null)).status())
                .as("the host has to be right, too")
                .isEqualTo(502);
    }

    private static String pin(X509Certificate certificate) throws Exception {
        byte[] key = certificate.getPublicKey().getEncoded();
        return Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
    }

    @Test
    void whereNothingIsVerifiedAnyNodeWillDo() throws Exception {
        X509Bundle shown = new Certificates(dir.resolve("others")).issued("other");
        SecureNode node = new SecureNode(shown, null);
        assertThat(asked(node, tls(insecure(), null, null)).status()).isEqualTo(200);
        assertThat(asked(node, tls(insecure(pin(shown.getCertificate())), null, null))
                        .status())
                .isEqualTo(200);
        String another = pin(certificates.authority().getCertificate());
        assertThat(asked(node, tls(insecure(another), null, null)).status()).isEqualTo(502);
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"ecp256", "rsa2048", "ed25519"})
    void nodesThatAskAreShownACertificate(Algorithm algorithm) throws Exception {
        SecureNode node = new SecureNode(certificates.issued("localhost"), certificates.authority());
        X509Bundle own =
                Certificates.issued(Certificates.builder("sigma").algorithm(algorithm), certificates.authority());
        NodeTlsConfig tls = tls(trust(), "localhost", shown(own));
        assertThat(asked(node, tls).status()).isEqualTo(200);
        assertThat(node.sessions().getFirst().getPeerCertificates()[0]).isEqualTo(own.getCertificate());
    }

    private Shown shown(X509Bundle own) {
        TlsConfig.Shown shown = certificates.shown(own);
        return new Shown(shown.files(), shown.found());
    }

    @Test
    void nodesThatAskInVainGetNoRequest() throws IOException {
        SecureNode node = new SecureNode(certificates.issued("localhost"), certificates.authority()).only("TLSv1.2");
        assertThat(asked(node, tls(trust(), "localhost", null)).status()).isEqualTo(502);
    }

    @Test
    void aRenewedCertificateIsShownFromThenOn() throws Exception {
        SecureNode node = new SecureNode(certificates.issued("localhost"), certificates.authority());
        X509Bundle first = certificates.issued("sigma");
        X509Bundle second = certificates.issued("sigma");
        Shown shown = shown(first);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        node.options(), request -> Answer.ok("yes").header("Connection", "close"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust(), "localhost", shown))
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(200);
            Certificates.write(shown.files(), second);
            Await.until("the new one is shown", () -> isShown(gateway, node, second));
        }
        assertThat(node.sessions().getFirst().getPeerCertificates()[0]).isEqualTo(first.getCertificate());
    }

    @Test
    void otherAuthoritiesAreTrustedFromThenOn() throws Exception {
        Certificates others = new Certificates(dir);
        SecureNode node = node("localhost");
        Path file = Files.writeString(dir.resolve("ca.pem"), others.authority().getCertificatePEM());
        Trust trust = new Trust(file, ClientFiles.authorities(file), List.of(), false);
        try (ScriptedUpstream upstream = serving(node);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust, "localhost", null))
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(502);
            Files.writeString(file, certificates.authority().getCertificatePEM());
            Await.until("it is trusted", () -> isAnswered(gateway));
        }
    }

    private static boolean isAnswered(GatewayFixture gateway) {
        try {
            return ask(gateway).status() == 200;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isShown(GatewayFixture gateway, SecureNode node, X509Bundle expected) {
        try {
            assertThat(ask(gateway).status()).isEqualTo(200);
            return node.sessions().getLast().getPeerCertificates()[0].equals(expected.getCertificate());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreResumed(String version) throws Exception {
        SecureNode node = node("localhost").only(version);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        node.options(), request -> Answer.ok("yes").header("Connection", "close"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust(), "localhost", null))
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(200);
            long created = node.sessions().getFirst().getCreationTime();
            Await.until("another moment", () -> System.currentTimeMillis() > created + 2);
            assertThat(ask(gateway).status()).isEqualTo(200);
            assertThat(node.sessions()).hasSize(2);
            assertThat(node.sessions().get(1).getCreationTime()).isEqualTo(created);
        }
    }

    private static final String UNTIL_CLOSE = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf";

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aBodyEndsWhereTheNodeSaysThatItDoes(String version) throws IOException {
        SecureNode node = node("localhost").only(version);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        node.options(),
                        Script.script().readRequest().send(UNTIL_CLOSE).close());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust(), "localhost", null))
                        .start()) {
            assertThat(ask(gateway).bodyText()).isEqualTo("half");
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aBodyThatSomebodyOnTheWayEndedIsCut(String version) throws IOException {
        SecureNode node = node("localhost").only(version);
        Script cut = Script.script()
                .readRequest()
                .send(UNTIL_CLOSE)
                .step(connection -> node.accepted().getFirst().close());
        try (ScriptedUpstream upstream = ScriptedUpstream.play(node.options(), cut);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .nodeTls(tls(trust(), "localhost", null))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(GET);
            Await.until("it is cut", () -> gateway.faults(Fault.UPSTREAM_TRUNCATED) == 1);
        }
    }

    @Test
    void aHandshakeHasToEnd() throws IOException {
        try (ScriptedUpstream silent = serving(SILENT);
                ScriptedUpstream upstream = serving(node("localhost"));
                GatewayFixture gateway = GatewayFixture.to(silent, upstream)
                        .nodeTls(tls(trust(), "localhost", null))
                        .client("connectTimeoutNanos", Duration.ofMillis(200))
                        .start()) {
            for (int i = 0; i < 4; i++) {
                assertThat(ask(gateway).status()).as("the other node answers").isEqualTo(200);
            }
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isPositive();
        }
    }

    @Test
    void aHandshakeThatNeverEndsIsATimeout() throws IOException {
        try (ScriptedUpstream silent = serving(SILENT);
                GatewayFixture gateway = GatewayFixture.to(silent)
                        .nodeTls(tls(trust(), "localhost", null))
                        .client("connectTimeoutNanos", Duration.ofMillis(200))
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(504);
            assertThat(gateway.faults(Fault.CONNECT_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void anotherNodeAnswersWhereOneBreaksTheHandshakeOff() throws IOException {
        Wrapping breaking = connected -> {
            connected.getInputStream().read();
            connected.close();
            throw new IOException("broken off");
        };
        try (ScriptedUpstream broken = serving(breaking);
                ScriptedUpstream upstream = serving(node("localhost"));
                GatewayFixture gateway = GatewayFixture.to(broken, upstream)
                        .nodeTls(tls(trust(), "localhost", null))
                        .start()) {
            for (int i = 0; i < 4; i++) {
                assertThat(ask(gateway).status()).isEqualTo(200);
            }
            assertThat(broken.requestCount()).isZero();
        }
    }

    @Test
    void aNodeThatSpeaksInTheClearIsNotUnderstood() throws IOException {
        try (ScriptedUpstream plain = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withWrapping(Wrapping.NONE),
                        Script.script().send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
                GatewayFixture gateway = GatewayFixture.to(plain)
                        .nodeTls(tls(trust(), "localhost", null))
                        .start()) {
            assertThat(ask(gateway).status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.TLS_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void checksSpeakTlsToo() throws IOException {
        try (ScriptedUpstream well = serving(node("localhost"));
                ScriptedUpstream wrong = serving(node("other"));
                GatewayFixture gateway = GatewayFixture.to(well, wrong)
                        .nodeTls(tls(trust(), "localhost", null))
                        .passive("enabled", false)
                        .checked(checks())
                        .start()) {
            Await.until("the one passes", () -> well.requestCount() > 2);
            Await.until(
                    "the other one is down",
                    () -> gateway.gateway().checks().stream()
                            .anyMatch(check -> check.why().contains("isn't trusted")));
            assertThat(wrong.requestCount()).isZero();
            assertThat(well.request(0).header("Host")).isEqualTo("127.0.0.1:" + well.port());
        }
    }

    private static ActiveCheckConfig checks() {
        return new ActiveCheckConfig(
                new ActiveCheckConfig.Http(
                        "/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
                0,
                new ActiveCheckConfig.Rhythm(CHECK_NANOS, CHECK_NANOS, CHECK_NANOS_MAX, 0),
                1,
                1);
    }
}
