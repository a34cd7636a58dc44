package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.SecureClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients whose TLS handshake is under way when the gateway begins to drain: it has let them in. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class HandshakeDrainTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(8);
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    @TempDir
    Path dir;

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
    private final Gate gate = new Gate();
    private X509Bundle authority;
    private GatewayFixture gateway;
    private Held held;

    @BeforeEach
    void start() throws IOException {
        Certificates certificates = new Certificates(dir);
        authority = certificates.authority();
        GatewayBuilder builder = GatewayFixture.to(node)
                .timeout("lingerNanos", Duration.ofMillis(100))
                .timeout("drainIdleNanos", Duration.ofSeconds(2))
                .timeout("headerNanos", Duration.ofSeconds(60))
                .timeout("handshakeNanos", Duration.ofSeconds(60));
        gateway = builder.tls(new TlsConfig(
                        List.of(certificates.shown(certificates.issued("a.example"))),
                        Version.TLS_1_2,
                        TlsConfig.CIPHERS_DEFAULT,
                        TlsConfig.ALPN_OF_HTTP,
                        false,
                        Clients.UNASKED,
                        false,
                        null,
                        "/ssl"))
                .start();
        held = new Held(gate);
        held.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()));
    }

    @AfterEach
    void close() throws IOException {
        gate.release();
        gateway.close();
        node.close();
        held.close();
    }

    /** Hears nothing before the gate is open. */
    private static final class Held extends Socket {
        private final Gate gate;

        Held(Gate gate) {
            this.gate = gate;
        }

        boolean isAnswered() {
            try {
                return super.getInputStream().available() > 0;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    try {
                        gate.pass();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return super.read(bytes, from, length);
                }
            };
        }
    }

    /** A handshake that the gateway has answered, and that comes to its end once the gate is open. */
    private CompletableFuture<SSLSocket> handshake(String version, String... protocols) {
        CompletableFuture<SSLSocket> done = handshaking(version, protocols);
        Await.until("answered", held::isAnswered);
        return done;
    }

    private CompletableFuture<SSLSocket> handshaking(String version, String... protocols) {
        SecureClient client = new SecureClient(authority, null).only(version).speaking(protocols);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.over(held, "a.example");
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }

    private CompletableFuture<Long> drain(Duration most) {
        int port = gateway.port();
        CompletableFuture<Long> left =
                CompletableFuture.supplyAsync(() -> gateway.gateway().stop(most), Thread::startVirtualThread);
        Await.until("connections refused", () -> isRefused(port));
        return left;
    }

    private static boolean isRefused(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isClosed();
        } catch (IOException e) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void oneOfHttp11IsAnswered(String version) throws Exception {
        CompletableFuture<SSLSocket> handshake = handshake(version, "http/1.1");
        CompletableFuture<Long> left = drain(LONG);
        assertThat(left).isNotDone();
        gate.release();

        try (RawClient client = RawClient.of(handshake.get(), DEADLINE)) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").readResponse();
            assertThat(response.bodyText()).isEqualTo("hello");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectClosed();
        }
        assertThat(left.get()).isZero();
        assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void oneOfHttp2IsAnswered(String version) throws Exception {
        CompletableFuture<SSLSocket> handshake = handshake(version, "h2");
        CompletableFuture<Long> left = drain(LONG);
        gate.release();

        try (Http2Client client = Http2Client.over(handshake.get())) {
            client.get(1, "/");
            assertThat(client.response(1).text()).isEqualTo("hello");
            client.awaitEnd();
        }
        assertThat(left.get()).isZero();
    }

    /** It has the time that a client has which is connected already, not that of a first request. */
    @ParameterizedTest
    @ValueSource(strings = {"http/1.1", "h2"})
    void oneThatAsksNothingIsClosedSoon(String protocol) throws Exception {
        CompletableFuture<SSLSocket> handshake = handshake("TLSv1.3", protocol);
        CompletableFuture<Long> left = drain(LONG);
        gate.release();

        try (SSLSocket client = handshake.get()) {
            Await.until("drained", SOON, left::isDone);
            assertThat(client.getInputStream().readAllBytes()).hasSizeLessThan(200);
        }
        assertThat(left.get()).isZero();
    }

    /** Neither the rest of the handshake comes, nor an end. */
    @Test
    void oneThatStaysInTheMiddleIsCutInTheEnd() throws Exception {
        handshake("TLSv1.3", "http/1.1");
        long from = System.nanoTime();

        CompletableFuture<Long> left = drain(Duration.ofMillis(500));

        Await.until("drained", SOON, left::isDone);
        assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(500_000_000L);
        assertThat(gateway.count(Counter.TLS_HANDSHAKES)).isZero();
    }

    /** It was connected and has said nothing at all, as those that are opened in advance do: it has as long as an idle one. */
    @Test
    void oneThatHasNotBegunIsClosedSoon() throws Exception {
        Await.until("accepted", () -> gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT) == 1);
        CompletableFuture<Long> left = drain(LONG);
        assertThat(left).isNotDone();

        Await.until("drained", SOON, left::isDone);
        gate.release();
        assertThat(held.getInputStream().readAllBytes()).isEmpty();
    }

    @Test
    void oneThatBeginsMeanwhileIsAnswered() throws Exception {
        Await.until("accepted", () -> gateway.count(Counter.TLS_HANDSHAKES_IN_FLIGHT) == 1);
        CompletableFuture<Long> left = drain(LONG);
        gate.release();
        CompletableFuture<SSLSocket> handshake = handshaking("TLSv1.3", "http/1.1");

        try (RawClient client = RawClient.of(handshake.get(), DEADLINE)) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").readResponse();
            assertThat(response.bodyText()).isEqualTo("hello");
            assertThat(response.header("Connection")).isEqualTo("close");
        }
        assertThat(left.get()).isZero();
    }
}
