package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
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
    static final long BIG = 512L << 20;
    static final long MEBI = 1 << 20;
    static final Duration LONG = Duration.ofMinutes(1);

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
        GeneratedBody body = GeneratedBody.of(10, 32 * MEBI);
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

    @Test
    void aNodeThatDoesNotReadStopsTheClient() throws Exception {
        GeneratedBody body = GeneratedBody.of(11, 32 * MEBI);
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

    static GatewayBuilder small(GatewayBuilder builder) {
        return builder.runtime("receiveBufferBytes", 16 << 10).runtime("sendBufferBytes", 16 << 10);
    }
}
