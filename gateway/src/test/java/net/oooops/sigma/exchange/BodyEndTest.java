package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that one side ends, or has no use for, long before the other one is through with them. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class BodyEndTest {
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 3000000\r\nConnection: close", "Connection: close", "X: HTTP/1.0 style"})
    void aNodeThatClosedLongAgoIsReadToItsEnd(String framing) throws IOException {
        // The end of the node's connection comes while nothing is read from it, as the client takes its time.
        GeneratedBody body = GeneratedBody.of(15, 3_000_000);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\n" + framing + "\r\n\r\n")
                        .send(body.toBytes())
                        .close());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .runtime("receiveBufferBytes", 4 << 20)
                        .runtime("sendBufferBytes", 16 << 10)
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.deadline(BodyTest.LONG).send(Ask.get("/")).readHead();
            upstream.awaitClosed(0);
            RawResponse response = client.readRest();

            assertThat(response.truncated()).as(response.bodyEnd().toString()).isFalse();
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
        }
    }

    @Test
    void pipelinedRequestsWaitWhereTheGatewayItselfAnswers() throws IOException {
        int requests = 900;
        ErrorPage page = new ErrorPage("text/plain", "x".repeat(8 << 10));
        try (GatewayFixture gateway = BodyTest.small(GatewayFixture.toPorts(1))
                        .route("/only")
                        .errorPage(404, page)
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.deadline(BodyTest.LONG).send(Ask.get("/").repeat(requests));
            long stoppedAt = Ask.standstill("answers", () -> gateway.count(Counter.REQUESTS_4XX));

            assertThat(stoppedAt).isLessThan(64);
            for (int i = 0; i < requests; i++) {
                assertThat(client.readResponse().status()).isEqualTo(404);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"})
    void aSlowReaderGetsAllOfALastResponse(String request) throws IOException {
        // The gateway is done long before the client has read: closing must wait for the client, not the other way
        // round.
        byte[] body = GeneratedBody.of(13, 60 << 10).toBytes();
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(each -> Answer.of(200).body(body));
                GatewayFixture gateway = BodyTest.small(GatewayFixture.to(upstream))
                        .timeout("lingerNanos", Duration.ofMillis(100))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(request);
            client.readHead();
            Ask.count(gateway, Counter.REQUESTS_2XX, 1);
            client.readBody(1);
            long from = System.nanoTime();
            Await.until("several lingering times", () -> System.nanoTime() - from > 500_000_000);

            RawResponse response = client.readRest();
            assertThat(response.truncated()).as(response.bodyEnd().toString()).isFalse();
            assertThat(response.bodyBytes()).isEqualTo(body.length);
        }
    }

    @Test
    void aBodyIsSentOnWhenTheNodeAsksForIt() throws IOException {
        GeneratedBody body = GeneratedBody.of(14, 16 * BodyTest.MEBI);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readHead().interim(100).readBody().respond(Answer.ok("thanks")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: " + body.bytes()
                    + "\r\n\r\n");
            assertThat(client.readHead().status()).isEqualTo(100);
            assertThat(client.send(body).readResponse().bodyText()).isEqualTo("thanks");
            assertThat(upstream.request(0).bodySha256()).isEqualTo(body.sha256());
            assertThat(upstream.request(0).headers().values("Expect")).containsExactly("100-continue");
            assertThat(client.send(Ask.get("/")).socket().isClosed()).isFalse();
        }
    }

    @Test
    void aBodyThatTheNodeDoesNotWantIsNotAskedFor() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readHead().respond(413, "too big").awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n");
            RawResponse response = client.readResponse();

            assertThat(response.status()).isEqualTo(413);
            assertThat(response.interim()).isEmpty();
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            upstream.awaitClosed(0);
        }
    }

    @Test
    void anEarlyAnswerReachesAClientThatIsStillSending() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readHead()
                        .readBody(100_000)
                        .respond(413, "too big")
                        .halfClose()
                        .awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", BodyTest.BIG));
            CompletableFuture<Void> sent = Background.run(() -> client.sendUnlessClosed(new byte[8 << 20], 16 << 10));
            RawResponse response = client.readResponse();

            assertThat(response.status()).isEqualTo(413);
            assertThat(response.bodyText()).isEqualTo("too big");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.close();
            sent.exceptionally(e -> null).get();
            Ask.quiet(gateway);
        }
    }

    @Test
    void anEarlyAnswerReachesTheClientThoughTheNodeClosesWithABodyUnread() throws Exception {
        // The node's close is a reset then, which fails what the gateway is still sending: the answer is there all the
        // same.
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readHead()
                        .readBody(100_000)
                        .respond(413, "too big")
                        .close());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", BodyTest.BIG));
            CompletableFuture<Void> sent = Background.run(() -> client.sendUnlessClosed(new byte[8 << 20], 16 << 10));
            RawResponse response = client.readResponse();

            assertThat(response.status()).isEqualTo(413);
            client.close();
            sent.exceptionally(e -> null).get();
            Ask.quiet(gateway);
        }
    }
}
