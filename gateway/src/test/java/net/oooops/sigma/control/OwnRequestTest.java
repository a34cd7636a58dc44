package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A gateway asks itself something that no node gets. */
@Timeout(60)
class OwnRequestTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("node"));

    @AfterEach
    void nodeHasHeardNothing() {
        try (node) {
            assertThat(node.connectionCount()).isZero();
        }
    }

    private static ListenerConfig listener(GatewayFixture gateway) {
        return gateway.gateway().config().listeners().getFirst();
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static void assertAnswers(GatewayBuilder builder) {
        try (GatewayFixture gateway = builder.start()) {
            long from = System.nanoTime();
            assertThatCode(() -> new OwnRequest(listener(gateway)).send(at(gateway.port())))
                    .doesNotThrowAnyException();
            assertThat(System.nanoTime() - from).as("at once").isLessThan(4_000_000_000L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void plainOnesAnswer(Http2 http2) {
        assertAnswers(GatewayFixture.to(node).http2(http2));
    }

    @ParameterizedTest
    @EnumSource
    void encryptedOnesAnswer(Http2 http2) {
        assertAnswers(GatewayFixture.to(node).encrypted().http2(http2));
    }

    /** What the client is refused for is no fault of the gateway's. */
    @ParameterizedTest
    @EnumSource(
            value = Version.class,
            names = {"TLS_1_2", "TLS_1_3"})
    void onesThatWantToSeeACertificateAnswer(Version min, @TempDir Path dir) {
        Certificates certificates = new Certificates(dir);
        Found authorities = new Found(List.of(certificates.authority().getCertificate()), List.of());
        assertAnswers(GatewayFixture.to(node)
                .tls(new TlsConfig(
                        List.of(certificates.shown(certificates.issued("a.example"))),
                        min,
                        TlsConfig.CIPHERS_DEFAULT,
                        TlsConfig.ALPN_OF_HTTP,
                        false,
                        new Clients(ClientAuth.REQUIRE, null, authorities),
                        false,
                        null,
                        "/ssl")));
    }

    /** HTTP/2 is all that may be agreed on, or nothing is. */
    @ParameterizedTest
    @EnumSource(
            value = Http2.class,
            names = {"TOO", "ONLY"})
    void onesThatAgreeOnHttp2AloneAnswer(Http2 http2, @TempDir Path dir) {
        Certificates certificates = new Certificates(dir);
        assertAnswers(GatewayFixture.to(node)
                .http2(http2)
                .tls(new TlsConfig(
                        List.of(certificates.shown(certificates.issued("a.example"))),
                        Version.TLS_1_3,
                        TlsConfig.CIPHERS_DEFAULT,
                        List.of("h2"),
                        false,
                        Clients.UNASKED,
                        false,
                        null,
                        "/ssl")));
    }

    private OwnRequest plain() {
        return new OwnRequest(GatewayFixture.to(node).config().listeners().getFirst(), LIMIT);
    }

    @Test
    void whoSaysNothingFailsInTime() {
        try (RawServer silent = RawServer.start()) {
            long from = System.nanoTime();

            assertThatThrownBy(() -> plain().send(at(silent.port()))).isInstanceOf(IOException.class);

            assertThat(System.nanoTime() - from).isBetween(1_000_000_000L, 5_000_000_000L);
        }
    }

    @Test
    void whoSaysNothingInTheHandshakeFailsInTime() {
        try (RawServer silent = RawServer.start()) {
            OwnRequest encrypted = new OwnRequest(
                    GatewayFixture.to(node).encrypted().config().listeners().getFirst(), LIMIT);

            assertThatThrownBy(() -> encrypted.send(at(silent.port()))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void whoClosesWithoutAnAnswerFails() throws Exception {
        try (RawServer closing = RawServer.start()) {
            Thread.ofVirtual().start(() -> {
                try (RawClient client = closing.accept()) {
                    client.send("HTTP/1.1").readExactly(1);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });

            assertThatThrownBy(() -> plain().send(at(closing.port()))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void nobodyThereFails() {
        int port;
        try (RawServer gone = RawServer.start()) {
            port = gone.port();
        }

        assertThatThrownBy(() -> plain().send(at(port))).isInstanceOf(IOException.class);
    }
}
