package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What transports could do differently: pausing, half-closing and resetting a connection. Each that works on this machine. */
class TransportTest extends WireTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final int BODY_BYTES = 4 << 20;

    @Override
    ScriptedUpstream upstream() {
        return upstreamOnHead();
    }

    private GatewayBuilder on(Transport transport) {
        Needed.transport(transport);
        return GatewayFixture.to(upstream).transport(transport);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void pipelinesBodiesAndSlowReaders(Transport transport) throws IOException {
        GeneratedBody down = GeneratedBody.of(8, BODY_BYTES);
        GeneratedBody up = GeneratedBody.of(9, BODY_BYTES);
        try (GatewayFixture running = on(transport).start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("1").repeat(50));
            for (int i = 0; i < 50; i++) {
                assertThat(client.readResponse().bodyText()).isEqualTo("/1");
            }
            next = Script.script().readBody().respond(Answer.of(200).body(down));
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                    .sendChunked(up, 50_000);
            RawResponse response = client.readResponse();
            assertThat(response.bodySha256()).isEqualTo(down.sha256());
            assertThat(upstream.requests().getLast().bodySha256()).isEqualTo(up.sha256());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void anAnswerArrivesThoughTheClientStillSends(Transport transport) throws IOException {
        next = Script.script().respond(Answer.of(403).body("no")).halfClose().awaitPeerClose();
        try (GatewayFixture running = on(transport).start()) {
            expectAnswerWhileSending(running, "POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", 403);
            expectAnswerWhileSending(running, "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400);
        }
    }

    private static void expectAnswerWhileSending(GatewayFixture running, String head, int status) throws IOException {
        try (RawClient client = running.connect()) {
            client.send(head);
            client.sendUnlessClosed("x".repeat(500_000).getBytes(US_ASCII), 10_000);
            assertThat(client.readResponse().status()).isEqualTo(status);
            client.expectCleanClose();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aCutResponseIsReset(Transport transport) throws IOException {
        next = Script.script().send("HTTP/1.1 200 OK\r\n\r\nthe beginning").reset();
        try (GatewayFixture running = on(transport).start();
                RawClient client = running.connect()) {
            // For HTTP/1.0 only the connection's end would end it: a clean one would say that it is complete.
            RawResponse response = client.send("GET /next HTTP/1.0\r\n\r\n").readResponse();
            assertThat(response.status() == 502 || response.truncated())
                    .as(response.toString())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoNeverReadsIsGivenUp(Transport transport) throws IOException {
        next = Script.script().readBody().respond(Answer.of(200).body(GeneratedBody.of(1, 64 << 20)));
        try (GatewayFixture running = on(transport)
                        .timeout("sendStallNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("next"));
            Await.until(
                    "the connection given up",
                    () -> running.count(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED) == 1
                            && running.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
            upstream.awaitClosed(upstream.requests().getLast().connection());
        }
    }

    /** From the last byte that left on, not from where it was looked the last time. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoNeverReadsIsGivenUpInTime(Transport transport) throws IOException {
        next = Script.script().readBody().respond(Answer.of(200).body(GeneratedBody.of(1, 64 << 20)));
        Duration stall = Duration.ofSeconds(2);
        try (GatewayFixture running = on(transport)
                        .timeout("sendStallNanos", stall)
                        .runtime("sendBufferBytes", 8192)
                        .start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("next"));
            long asked = System.nanoTime();
            Await.until("given up", () -> running.faults(Fault.CLIENT_STALLED) == 1);
            // Twice that, were it only looked at once within it: some bytes always go at first.
            assertThat(System.nanoTime() - asked).isBetween(stall.toNanos(), stall.toNanos() / 3 * 5);
        }
    }

    /** Its buffers leave piece by piece, each much slower than the time within which something has to. */
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void whoReadsSlowlyIsNot(Transport transport) throws IOException {
        next = Script.script().readBody().respond(Answer.of(200).body(GeneratedBody.of(1, 64 << 20)));
        try (GatewayFixture running = on(transport)
                        .timeout("sendStallNanos", Duration.ofMillis(700))
                        .runtime("sendBufferBytes", 8192)
                        .start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("next"));
            assertThat(client.readInPieces(100_000, 2048, Duration.ofMillis(50)))
                    .hasSize(100_000);
            assertThat(running.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN)).isEqualTo(1);
        }
    }
}
