package net.oooops.sigma.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds of an exchange holds where others take all the memory there is: nothing may wait then, and little is read at once. */
class ShortMemoryTest {
    private static final int STALLED = 60;
    private static final String PART = "a".repeat(600);
    private static final String CHUNK = Integer.toHexString(PART.length()) + "\r\n" + PART + "\r\n";

    private final Gate gate = new Gate();
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final List<RawClient> stalled = new ArrayList<>();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(this::answer);
    private final GatewayFixture gateway = GatewayFixture.to(upstream)
            .plugins(Probe.LOADER)
            .route(
                    "/*",
                    Probe.probe()
                            .onResponse(exchange -> exchange.request().path().equals("/parked")
                                    ? Outcome.suspend(outcome)
                                    : Outcome.CONTINUE)
                            .config())
            .client("maxPoolSizePerServer", 2 * STALLED)
            .memory("relayBytesMax", 1 << 20)
            .runtime("sendBufferBytes", 8192)
            .proxyPass("responseTimeoutNanos", Duration.ofSeconds(2))
            .bodyMinRate(1000, Duration.ofMillis(500))
            .start();

    private Step answer(ReceivedRequest request) {
        return switch (request.target()) {
            case "/parked" ->
                Script.script()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK)
                        .stall(gate);
            case "/silent" -> Script.script().interim(103).stall(gate);
            case "/trickled" -> Script.script().readBody().respond(Answer.ok("all of it"));
            // More than one connection lets wait; more would keep a node busy that encrypts, with code that is cold.
            default -> Answer.of(200).body(GeneratedBody.of(1, 256 << 10));
        };
    }

    @BeforeEach
    void takeAllMemory() throws IOException {
        for (int i = 0; i < STALLED; i++) {
            RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
            stalled.add(client);
            client.send(Ask.get("/stalled"));
        }
        Await.until("memory is short", () -> gateway.count(Counter.RELAY_MEMORY_SHORT) > 0);
    }

    @AfterEach
    void stop() {
        gate.release();
        stalled.forEach(RawClient::close);
        gateway.close();
        upstream.close();
    }

    /** Neither the head nor what came while a plugin had the exchange waits for the node to send more. */
    @Test
    void whatCameWhileAPluginWaitedLeaves() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(Ask.get("/parked"));
            Await.until("at the node", () -> upstream.requestCount() > STALLED);
            outcome.complete(Outcome.CONTINUE);
            assertThat(client.readHead().status()).isEqualTo(200);
            assertThat(new String(client.readExactly(CHUNK.length()), US_ASCII)).isEqualTo(CHUNK);
        }
    }

    @Test
    void theResponseIsAwaitedNoLongerAfterAnInterimOne() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(Ask.get("/silent"));
            assertThat(client.readHead().status()).isEqualTo(103);
            assertThat(client.readResponse().status()).isEqualTo(504);
        }
    }

    @Test
    void aBodyKeepsItsRate() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/trickled", 100_000));
            Thread.ofVirtual().start(() -> trickle(client));
            assertThat(client.readResponse().status()).isEqualTo(408);
        }
    }

    private static void trickle(RawClient client) {
        try {
            client.sendInPieces("a".repeat(100).getBytes(US_ASCII), 1, Duration.ofMillis(50));
        } catch (IOException e) {
            // It is answered and closed by now.
        }
    }
}
