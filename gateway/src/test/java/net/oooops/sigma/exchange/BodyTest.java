package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of any size go through in bounded memory, at the pace of the slower side. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
@Isolated("direct memory")
class BodyTest {
    private static final long BIG = 512L << 20;
    private static final long MEBI = 1 << 20;
    private static final Duration LONG = Duration.ofMinutes(1);

    @Tag("volume")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfAGibibyteComesDown(boolean chunked) throws IOException {
        GeneratedBody body = GeneratedBody.of(7, BIG);
        Answer answer = chunked
                ? Answer.ok("").body(body).chunked(100_000)
                : Answer.ok("").body(body);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> answer);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect().deadline(LONG).expectBody(body);
                DirectMemory memory = DirectMemory.watched()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.bodyBytes()).isEqualTo(BIG);
            assertThat(response.bodyMismatch()).isEqualTo(-1);
            assertThat(response.bodyEnd()).isEqualTo(chunked ? BodyEnd.CHUNKED : BodyEnd.LENGTH);
            assertThat(memory.grownBytesMax()).isLessThan(8 * MEBI);
            assertThat(client.send(Ask.head("/")).readResponse("HEAD").status()).isEqualTo(200);
        }
    }

    @Tag("volume")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfAGibibyteGoesUp(boolean chunked) throws IOException {
        GeneratedBody body = GeneratedBody.of(7, BIG);
        try (ScriptedUpstream upstream = comparing(body);
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect().deadline(LONG);
                DirectMemory memory = DirectMemory.watched()) {
            if (chunked) {
                client.send(Ask.postChunked("/")).sendChunked(body, 100_000, new Header("Check", "sum"));
            } else {
                client.send(Ask.postHead("/", BIG)).send(body);
            }
            RawResponse response = client.readResponse();

            assertThat(response.bodyText()).isEqualTo("taken");
            assertThat(upstream.request(0).bodyMismatch()).isEqualTo(-1);
            assertThat(upstream.request(0).bodyBytes()).isEqualTo(BIG);
            assertThat(upstream.request(0).trailers().has("Check")).isEqualTo(chunked);
            assertThat(memory.grownBytesMax()).isLessThan(8 * MEBI);
            Ask.count(gateway, Counter.REQUESTS_2XX, 1);
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED)).isGreaterThan(BIG);
            assertThat(gateway.count(Counter.UPSTREAM_BYTES_SENT)).isGreaterThan(BIG);
        }
    }

    private static ScriptedUpstream comparing(GeneratedBody body) {
        return ScriptedUpstream.startOnHead(request -> {
            request.expectBody(body);
            return Script.script().readBody().respond(200, "taken");
        });
    }

    @Test
    void bothWaysAtOnce() throws Exception {
        GeneratedBody body = GeneratedBody.of(9, 64 * MEBI);
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.play(Script.script().readHead().echoChunked());
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect().deadline(LONG);
                DirectMemory memory = DirectMemory.watched()) {
            client.send(Ask.postChunked("/"));
            CompletableFuture<Void> sent =
                    Background.run(() -> client.sendChunked(body, 30_000, new Header("Sum", "42")));
            RawResponse response = client.readResponse();
            sent.get();

            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(response.trailers().values("Sum")).containsExactly("42");
            assertThat(memory.grownBytesMax()).isLessThan(8 * MEBI);
        }
    }

    @Test
    void aClientThatDoesNotReadStopsTheNode() throws IOException {
        GeneratedBody body = GeneratedBody.of(10, 128 * MEBI);
        long[] written = {0};
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withSendBufferBytes(16 << 10),
                        Script.script().readRequest().step(connection -> {
                            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.bytes() + "\r\n\r\n");
                            byte[] part = new byte[32 << 10];
                            var from = body.stream();
                            for (int n = from.readNBytes(part, 0, part.length);
                                    n > 0;
                                    n = from.readNBytes(part, 0, part.length)) {
                                connection.write(part);
                                written[0] += n;
                            }
                        }));
                GatewayFixture gateway = small(GatewayFixture.to(upstream)).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                DirectMemory memory = DirectMemory.watched()) {
            client.deadline(LONG).expectBody(body).send(Ask.get("/"));
            RawHead head = client.readHead();
            long stoppedAt = Ask.standstill("what the node writes", () -> written[0]);

            assertThat(head.status()).isEqualTo(200);
            assertThat(stoppedAt).isLessThan(2 * MEBI);
            RawResponse response = client.readRest();
            assertThat(response.bodyMismatch()).isEqualTo(-1);
            assertThat(memory.grownBytesMax()).isLessThan(4 * MEBI);
        }
    }

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
            client.deadline(LONG).send(Ask.get("/")).readHead();
            upstream.awaitClosed(0);
            RawResponse response = client.readRest();

            assertThat(response.truncated()).as(response.bodyEnd().toString()).isFalse();
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
        }
    }

    @Test
    void aNodeThatDoesNotReadStopsTheClient() throws Exception {
        GeneratedBody body = GeneratedBody.of(11, 128 * MEBI);
        long[] written = {0};
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        UpstreamOptions.defaults().withReceiveBufferBytes(4096),
                        Script.script()
                                .readHead()
                                .step(connection -> Objects.requireNonNull(connection.request())
                                        .expectBody(body))
                                .stall(gate)
                                .readBody()
                                .respond(200, "taken"));
                GatewayFixture gateway = small(GatewayFixture.to(upstream)).start();
                RawClient client = gateway.connect().deadline(LONG);
                DirectMemory memory = DirectMemory.watched()) {
            client.socket().setSendBufferSize(16 << 10);
            client.send(Ask.postHead("/", body.bytes()));
            CompletableFuture<Void> sent = Background.run(() -> {
                byte[] part = new byte[32 << 10];
                var from = body.stream();
                for (int n = from.readNBytes(part, 0, part.length); n > 0; n = from.readNBytes(part, 0, part.length)) {
                    client.send(part);
                    written[0] += n;
                }
            });
            upstream.awaitHeads(1);
            long stoppedAt = Ask.standstill("what the client sends", () -> written[0]);
            assertThat(stoppedAt).isLessThan(2 * MEBI);
            gate.release();
            sent.get();

            assertThat(client.readResponse().bodyText()).isEqualTo("taken");
            assertThat(upstream.request(0).bodyMismatch()).isEqualTo(-1);
            assertThat(memory.grownBytesMax()).isLessThan(4 * MEBI);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 10, 8 << 10, 32 << 10})
    void pipelinedRequestsWaitForAClientThatDoesNotRead(int bodyBytes) throws IOException {
        int requests = 900;
        byte[] body = GeneratedBody.of(12, bodyBytes).toBytes();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withRequestsKept(0),
                        request -> Answer.of(200).body(body));
                GatewayFixture gateway = small(GatewayFixture.to(upstream)).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                DirectMemory memory = watchedAfterOthers(gateway)) {
            int before = upstream.requestCount();
            client.deadline(LONG).send(Ask.get("/").repeat(requests));
            long stoppedAt = Ask.standstill("what the node is asked", () -> upstream.requestCount() - before);

            assertThat(stoppedAt * bodyBytes).isLessThan(512 << 10);
            for (int i = 0; i < requests; i++) {
                assertThat(client.readResponse().bodyBytes()).isEqualTo(body.length);
            }
            assertThat(upstream.requestCount() - before).isEqualTo(requests);
            assertThat(memory.grownBytesMax()).isLessThan(4 * MEBI);
        }
    }

    /** Without the buffers that a Worker has for all its connections: it has them once it has read so much of one. */
    private static DirectMemory watchedAfterOthers(GatewayFixture gateway) throws IOException {
        try (RawClient other = gateway.connect()) {
            for (int i = 0; i < 100; i++) {
                assertThat(other.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
        }
        return DirectMemory.watched();
    }

    @Test
    void pipelinedRequestsWaitWhereTheGatewayItselfAnswers() throws IOException {
        int requests = 900;
        ErrorPage page = new ErrorPage("text/plain", "x".repeat(8 << 10));
        try (GatewayFixture gateway = small(GatewayFixture.toPorts(1))
                        .route("/only")
                        .errorPage(404, page)
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.deadline(LONG).send(Ask.get("/").repeat(requests));
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
                GatewayFixture gateway = small(GatewayFixture.to(upstream))
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
        GeneratedBody body = GeneratedBody.of(14, 16 * MEBI);
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
            client.send(Ask.postHead("/", BIG));
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
            client.send(Ask.postHead("/", BIG));
            CompletableFuture<Void> sent = Background.run(() -> client.sendUnlessClosed(new byte[8 << 20], 16 << 10));
            RawResponse response = client.readResponse();

            assertThat(response.status()).isEqualTo(413);
            client.close();
            sent.exceptionally(e -> null).get();
            Ask.quiet(gateway);
        }
    }

    private static GatewayBuilder small(GatewayBuilder builder) {
        return builder.runtime("receiveBufferBytes", 16 << 10).runtime("sendBufferBytes", 16 << 10);
    }
}
