package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;

/** A response that plugins held leaves as its client takes it, all of it and whatever happens meanwhile. */
class HeldResponseTest {
    private static final int SMALL_BUFFER_BYTES = 16 << 10;
    private static final ClientOptions SLOW = ClientOptions.defaults().withReceiveBufferBytes(SMALL_BUFFER_BYTES);
    private static final int CHUNKS = 12;
    private static final int CHUNK_BYTES = 5000;

    private static GatewayBuilder before(ScriptedUpstream upstream, Probe probe) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .plugin("probe", probe.config().settings())
                .runtime("sendBufferBytes", SMALL_BUFFER_BYTES);
    }

    @Test
    void itAllLeavesThoughTheNodeSendsNoMore() throws IOException {
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        CompletableFuture<Void> suspended = new CompletableFuture<>();
        Probe probe = Probe.probe().onResponse(exchange -> {
            if (exchange.request().path().equals("/first")) {
                return Outcome.CONTINUE;
            }
            suspended.complete(null);
            return Outcome.suspend(next);
        });
        String chunk = Integer.toHexString(CHUNK_BYTES) + "\r\n" + "x".repeat(CHUNK_BYTES) + "\r\n";
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> request.target()
                                .equals("/first")
                        // The connection learns to be read in large pieces.
                        ? Answer.ok("").body(GeneratedBody.of(1, 4 << 20))
                        : Script.script()
                                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(CHUNKS))
                                .stall(gate));
                GatewayFixture gateway = before(upstream, probe)
                        .limit("writeBufferBytesMax", SMALL_BUFFER_BYTES)
                        .start();
                RawClient client = gateway.connect(SLOW)) {
            client.send(Ask.get("/first")).readResponse();
            client.send(Ask.get("/"));
            suspended.join();
            next.complete(Outcome.CONTINUE);
            assertThat(client.readHead().status()).isEqualTo(200);
            assertThat(received(client)).isEqualTo(CHUNKS * CHUNK_BYTES);
            gate.release();
        }
    }

    /** Reads until all of the content is here, in whatever chunks. */
    private static int received(RawClient client) throws IOException {
        int content = 0;
        while (content < CHUNKS * CHUNK_BYTES) {
            content += client.readExactly(1)[0] == 'x' ? 1 : 0;
        }
        return content;
    }

    @Test
    void aClientThatWritesAllBeforeItReadsGetsIt() throws IOException {
        GeneratedBody answer = GeneratedBody.of(2, 900_000);
        Probe probe = Probe.probe().wholeResponse(1 << 20).onResponse(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withReceiveBufferBytes(SMALL_BUFFER_BYTES),
                        Script.script()
                                .readHead()
                                .pause(Duration.ofMillis(200))
                                .respond(Answer.ok("").body(answer))
                                .awaitPeerClose());
                GatewayFixture gateway = before(upstream, probe).start();
                RawClient client = gateway.connect(SLOW).deadline(Duration.ofSeconds(10))) {
            client.send(Ask.postHead("/", 8 << 20)).send(GeneratedBody.of(3, 8 << 20));
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.bodySha256()).isEqualTo(answer.sha256());
        }
    }
}
