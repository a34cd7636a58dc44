package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code max-content-length}: bodies are collected whole before they go on. */
class WholeContentTest {
    private static final int MAX = 300_000;

    private static GatewayFixture collecting(ScriptedUpstream upstream) throws IOException {
        return GatewayFixture.to(upstream).contentBytesMax(MAX).start();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5_000, MAX})
    void aBodyUpToTheBoundPassesWithItsLength(int bytes) throws IOException {
        GeneratedBody body = GeneratedBody.of(3, bytes);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request ->
                        Answer.ok("").header("Trailer", "Sum").body(body).chunked(1_000));
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTrailer: Check\r\nTransfer-Encoding: chunked\r\n\r\n")
                    .sendChunked(body, 700, new Header("Check", "sum"));
            RawResponse response = client.readResponse();

            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.LENGTH);
            assertThat(response.header("Content-Length")).isEqualTo("" + bytes);
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(response.headers().has("Trailer")).isFalse();
            assertThat(upstream.request(0).headers().values("Content-Length")).containsExactly("" + bytes);
            assertThat(upstream.request(0).headers().has("Trailer")).isFalse();
            assertThat(upstream.request(0).bodySha256()).isEqualTo(body.sha256());
            assertThat(client.send(Ask.get("/")).readResponse().bodyBytes()).isEqualTo(bytes);
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    /** RFC 9110 section 7.6.2: each proxy on the way counts once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void forwardsAreCountedOnce(int left) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            client.send("OPTIONS / HTTP/1.1\r\nHost: a\r\nMax-Forwards: " + left + "\r\nContent-Length: 2\r\n\r\n");
            assertThat(client.send("ab").readResponse().bodyText()).isEqualTo("hello");
            assertThat(upstream.request(0).headers().values("Max-Forwards")).containsExactly("" + (left - 1));
            assertThat(upstream.request(0).bodyText()).isEqualTo("ab");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLargerRequestIs413AndReachesNoNode(boolean chunked) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            if (chunked) {
                client.send(Ask.postChunked("/") + Integer.toHexString(MAX + 1) + "\r\n")
                        .send(GeneratedBody.of(3, MAX + 1L));
            } else {
                client.send(Ask.postHead("/", MAX + 1));
            }
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(1);
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLargerAnswerIs502(boolean chunked) throws IOException {
        Answer large = Answer.ok("").body(GeneratedBody.of(3, MAX + 1));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> chunked ? large.chunked(5_000) : large);
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
            upstream.awaitClosed(0);
        }
    }

    @Test
    void nothingGoesOnBeforeAllIsHere() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
                        .stall(gate)
                        .send("there"));
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 10) + "first");
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            assertThat(upstream.connectionCount()).isZero();

            client.send("other");
            upstream.awaitRequests(1);
            client.expectSilence(Duration.ofMillis(200));
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("hellothere");
        }
    }

    @Test
    void anAnswerThatBreaksOffIs502() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .sendCut(Answer.ok("hello"), 40)
                        .close());
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.truncated()).isFalse();
        }
    }

    @Test
    void aClientThatAsksFirstIsToldToGoOn() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = collecting(upstream);
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(100);
            assertThat(client.send("hello").readResponse().bodyText()).isEqualTo("hello");
            assertThat(upstream.request(0).headers().has("Expect")).isFalse();
        }
    }

    @Test
    void aPluginRefusesBeforeAnythingIsCollected() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .contentBytesMax(MAX)
                        .plugins(Probe.LOADER)
                        .plugin(
                                "probe",
                                Probe.probe()
                                        .onRequest(exchange -> Outcome.respond(Response.of(403)))
                                        .config()
                                        .settings())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(403);
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerLeavesAsItIsTaken(boolean forPlugin) throws IOException {
        int large = 4 << 20;
        GeneratedBody body = GeneratedBody.of(3, large);
        Probe whole = Probe.probe().wholeResponse(large).onResponse(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> Answer.ok("").body(body));
                GatewayFixture gateway = (forPlugin
                                ? GatewayFixture.to(upstream)
                                        .plugins(Probe.LOADER)
                                        .plugin("probe", whole.config().settings())
                                : GatewayFixture.to(upstream).contentBytesMax(large))
                        .limit("bufferedBodyBytesMax", large)
                        .runtime("sendBufferBytes", 16 << 10)
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(16 << 10))) {
            client.send(Ask.get("/") + Ask.get("/"));
            Await.until("the node is done", () -> Ask.pool(gateway).idle() == 1);
            assertThat(gateway.count(Counter.REQUESTS_IN_FLIGHT)).isOne();
            for (int i = 0; i < 2; i++) {
                assertThat(client.readResponse().bodySha256()).isEqualTo(body.sha256());
            }
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aSlowNodeIsNoLateAnswer() throws IOException {
        int large = 20 << 20;
        GeneratedBody body = GeneratedBody.of(3, large);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withReceiveBufferBytes(16 << 10),
                        Script.script()
                                .readHead()
                                .pause(Duration.ofMillis(1500))
                                .readBody(large / 2)
                                .pause(Duration.ofMillis(1500))
                                .readBody()
                                .respond(Answer.ok("late")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .contentBytesMax(large)
                        .proxyPass("responseTimeoutNanos", Duration.ofMillis(2500))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", large)).send(body);
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
        }
    }

    @Test
    void aConnectionWithAnUnsentRestIsNotUsedAgain() throws IOException {
        int large = 20 << 20;
        Gate fresh = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withReceiveBufferBytes(16 << 10),
                        Script.script()
                                .readHead()
                                .respond(401, "who are you?")
                                .stall(fresh)
                                .awaitPeerClose(),
                        Script.script().thenServe(request -> Answer.ok("fresh")));
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).contentBytesMax(large).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            client.send(Ask.postHead("/", large)).send(GeneratedBody.of(3, large));
            assertThat(client.readResponse().status()).isEqualTo(401);
            assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fresh");
            fresh.release();
            assertThat(upstream.connectionCount()).isEqualTo(2);
        }
    }

    @Test
    void whereNothingMayBeHeldAPluginThatNeedsTheBodyIsNotPassedBy() throws IOException {
        Probe whole = Probe.probe().wholeRequest(100).onRequest(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .plugin("probe", whole.config().settings())
                        .limit("bufferedBodyBytesMax", 0)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "x")).readResponse().status()).isEqualTo(413);
            assertThat(upstream.connectionCount()).isZero();
        }
    }
}
