package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes before a final response, or before the request's end (RFC 9110 sections 7.8, 10.1.1 and 15.2). */
class InterimTest extends WireTest {
    private static final String EXPECTING =
            "POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";

    @Override
    ScriptedUpstream upstream() {
        return upstreamOnHead();
    }

    /** RFC 9110 section 15.2: a proxy forwards interim responses, each as it comes. */
    @Test
    void interimResponsesPass() throws IOException {
        Gate gate = new Gate();
        next = Script.script()
                .interim(
                        103,
                        new Header("Link", "</a.css>; rel=preload"),
                        new Header("Connection", "X-Hop"),
                        new Header("X-Hop", "1"))
                .stall(gate)
                .interim(102)
                .respond(200, "done");
        try (RawClient client = gateway.connect()) {
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            RawHead hints = client.readHead();
            assertThat(hints.status()).isEqualTo(103);
            assertThat(hints.header("Link")).isEqualTo("</a.css>; rel=preload");
            assertThat(hints.headers().names()).doesNotContain("Connection", "X-Hop");
            gate.release();
            assertThat(client.readHead().status()).isEqualTo(102);
            assertThat(client.readResponse().bodyText()).isEqualTo("done");
        }
    }

    /** RFC 9110 section 15.2: HTTP/1.0 knows none. */
    @Test
    void http10GetsNoInterimResponse() throws IOException {
        next = Script.script().interim(103).interim(100).respond(200, "done");
        RawResponse response = exchange("GET /next HTTP/1.0\r\n\r\n");
        assertThat(response.interim()).isEmpty();
        assertThat(response.bodyText()).isEqualTo("done");
    }

    /** RFC 9110 section 10.1.1: the expectation goes to the node, and its 100 back; then the body. */
    @Test
    void expectationIsForwarded() throws IOException {
        next = Script.script().interim(100).readBody().respond(200, "thanks");
        try (RawClient client = gateway.connect()) {
            client.send(EXPECTING);
            assertThat(client.readHead().status()).isEqualTo(100);
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Expect")).isEqualTo("100-continue");
            RawResponse response = client.send("hello").readResponse();
            assertThat(response.bodyText()).isEqualTo("thanks");
            assertThat(seen.bodyText()).isEqualTo("hello");
            // All came as announced, so the connection goes on.
            assertThat(response.headers().has("Connection")).isFalse();
            client.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("/after");
        }
    }

    /** RFC 9110 section 10.1.1: a client may send its body without waiting. */
    @Test
    void expectingClientThatDoesNotWait() throws IOException {
        next = Script.script().interim(100).readBody().respond(200, "thanks");
        RawResponse response = exchange(EXPECTING + "hello");
        assertThat(response.interim()).hasSize(1);
        assertThat(response.bodyText()).isEqualTo("thanks");
        assertThat(upstream.requests().getLast().bodyText()).isEqualTo("hello");
    }

    /** RFC 9110 section 10.1.1: a final answer instead of 100; as the body will not come, both connections end. */
    @Test
    void expectationIsAnsweredFinally() throws IOException {
        next = Script.script().respond(Answer.of(413).body("too much")).awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            RawResponse response = client.send(EXPECTING).readResponse();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            upstream.awaitClosed(upstream.requests().getLast().connection());
        }
    }

    /** An expectation of a request that leads nowhere is answered at once. */
    @Test
    void expectationWithoutARoute() throws IOException {
        try (GatewayFixture narrow = GatewayFixture.to(upstream).route("/only").start();
                RawClient client = narrow.connect()) {
            RawResponse response = client.send(EXPECTING).readResponse();
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.interim()).isEmpty();
            client.expectCleanClose();
        }
    }

    /** RFC 9110 section 10.1.1: 417 for what isn't understood. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "magic",
                "100-continue, magic",
                "100-continue, 100-continue",
                "\"100-continue\"",
                "100-continue;a=b",
                ""
            })
    void otherExpectationsFail(String expectation) throws IOException {
        refused(417, "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: " + expectation + "\r\n\r\n");
    }

    /** RFC 9110 section 10.1.1: in letter case it is not strict; HTTP/1.0 doesn't know it, so it isn't forwarded. */
    @Test
    void expectationsThatPass() throws IOException {
        next = Script.script().readBody().respond(200, "ok");
        ReceivedRequest seen =
                forwarded("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\nx");
        assertThat(seen.header("Expect")).isEqualTo("100-Continue");
        seen = forwarded("POST /next HTTP/1.0\r\nContent-Length: 1\r\nExpect: anything\r\n\r\nx");
        assertThat(seen.headers().has("Expect")).isFalse();
        assertThat(seen.bodyText()).isEqualTo("x");
    }

    /** RFC 9112 section 9.5: a node may answer before it has the whole request; then nothing more is asked of it. */
    @Test
    void earlyAnswerWhileTheBodyIsComing() throws IOException {
        next = Script.script().respond(Answer.of(403).body("no")).halfClose().awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbeginning");
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.bodyText()).isEqualTo("no");
            assertThat(response.header("Connection")).isEqualTo("close");
            // What it still sends does no harm to the answer.
            client.sendUnlessClosed("x".repeat(300_000).getBytes(java.nio.charset.StandardCharsets.US_ASCII), 10_000);
            client.expectCleanClose();
        }
        assertThat(upstream.requests().getLast().complete()).isFalse();
    }

    /** The same with nothing of the body sent: the client learns that it needn't. */
    @Test
    void earlyAnswerBeforeTheBody() throws IOException {
        next = Script.script().respond(Answer.of(401).body("who?")).awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(401);
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** Request and response at the same time: each byte comes back before the next is sent. */
    @Test
    void bothBodiesAtOnce() throws IOException {
        next = Script.script().echoChunked(new Header("X-End", "1"));
        try (RawClient client = gateway.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
            assertThat(client.readHead().status()).isEqualTo(200);
            assertThat(client.readBody(1)).isEqualTo(new byte[] {'a'});
            for (byte b = 'b'; b <= 'z'; b++) {
                client.send("1\r\n" + (char) b + "\r\n");
                assertThat(client.readBody(1)).isEqualTo(new byte[] {b});
            }
            RawResponse rest = client.send("0\r\nX-Begin: 0\r\n\r\n").readRest();
            assertThat(rest.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            assertThat(rest.trailers().all()).containsExactly(new Header("X-Begin", "0"), new Header("X-End", "1"));
        }
    }

    /** And with much of both. */
    @Test
    void muchOfBothBodiesAtOnce() throws IOException {
        next = Script.script().echoChunked();
        GeneratedBody body = GeneratedBody.of(3, 8 << 20);
        try (RawClient client = gateway.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            CompletableFuture<Void> sent = CompletableFuture.runAsync(
                    () -> {
                        try {
                            client.sendChunked(body, 10_007);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    Thread::startVirtualThread);
            RawResponse response = client.readResponse();
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(sent).succeedsWithin(Duration.ofSeconds(5));
        }
    }

    /** RFC 9110 section 7.8: Upgrade is for one connection; where it isn't granted the request is forwarded without it and answered as any other. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade\r\nUpgrade: chat\r\nSec-WebSocket-Key: eA==\r\n",
                "Connection: keep-alive, upgrade\r\nUpgrade: h2c, chat\r\n",
                "Connection: keep-alive\r\nUpgrade: websocket\r\n",
                "Upgrade: TLS/1.2\r\n",
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
            })
    void upgradeIsNotForwarded(String fields) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET /upgrade HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("/upgrade");
            assertThat(upstream.requests().getLast().headers().names())
                    .doesNotContain("Connection", "Upgrade", "HTTP2-Settings");
            client.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("/after");
        }
    }

    /** RFC 9110 section 15.5.22: a node may insist on an upgrade. Its 426 says in Upgrade what is required, and Connection names it; elsewhere Upgrade goes no further. */
    @Test
    void upgradeRequiredPasses() throws IOException {
        for (String connection : new String[] {"Upgrade", "upgrade, close", "x"}) {
            next = Answer.of(426)
                    .header("Upgrade", "HTTP/2.0, websocket")
                    .header("Connection", connection)
                    .body("no");
            RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(response.headers().values("Upgrade")).containsExactly("HTTP/2.0, websocket");
            assertThat(response.headers().values("Connection")).containsExactly("upgrade");
            response = exchange("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertThat(response.headers().values("Connection")).containsExactly("close, upgrade");
        }
        next = Answer.of(400).header("Upgrade", "websocket").header("Connection", "Upgrade");
        RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.headers().has("Upgrade")).isFalse();
        assertThat(response.headers().has("Connection")).isFalse();
    }
}
