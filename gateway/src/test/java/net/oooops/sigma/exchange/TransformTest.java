package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that plugins transform on their way: what goes on, how it is framed, and what becomes of it when something fails. */
class TransformTest {
    private static final String CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    private static GatewayBuilder with(ScriptedUpstream upstream, Probe... probes) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route("/*", Arrays.stream(probes).map(Probe::config).toArray(PluginConfig[]::new));
    }

    private static ScriptedUpstream answering(Answer answer) {
        return ScriptedUpstream.start(request -> answer);
    }

    private static void closedOnce(Marks marks) {
        Await.until("closed", () -> marks.closes.get() > 0);
        assertThat(marks.closes).hasValue(1);
    }

    @Test
    void aRequestOfKnownLengthGoesOnInChunks() throws IOException {
        Marks marks = new Marks("!");
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, marks.onRequest()).start();
                RawClient client = gateway.connect()) {
            for (int i = 1; i < 4; i++) {
                client.sendByteByByte(Ask.post("/", "hello"));
                assertThat(client.readResponse().bodyText()).isEqualTo("done");
                ReceivedRequest seen = upstream.requests().getLast();
                assertThat(seen.bodyText()).isEqualTo("hheelllloo!");
                assertThat(seen.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
                assertThat(seen.header("Content-Length")).isNull();
                assertThat(marks.ends).hasValue(i);
                int closes = i;
                Await.until("closed", () -> marks.closes.get() == closes);
            }
        }
    }

    @Test
    void trailersOfARequestAreEdited() throws IOException {
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway =
                        with(upstream, new Marks("").onRequest()).start();
                RawClient client = gateway.connect()) {
            client.send(CHUNKED + "2\r\nab\r\n1\r\nc\r\n0\r\nX-One: 1\r\n\r\n").readResponse();
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.bodyText()).isEqualTo("aabbcc");
            assertThat(seen.trailers().values("X-Two")).containsExactly("1+");
            assertThat(seen.trailers().has("X-One")).isFalse();
        }
    }

    @Test
    void aRequestWithoutABodyGetsOne() throws IOException {
        Marks marks = new Marks("made");
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, marks.onRequest()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            client.send(Ask.post("/", "")).readResponse();
            assertThat(upstream.requests()).allSatisfy(seen -> {
                assertThat(seen.bodyText()).isEqualTo("made");
                assertThat(seen.header("Content-Length")).isEqualTo("4");
            });
            assertThat(marks.bytes).hasValue(0);
            assertThat(marks.ends).hasValue(2);
        }
    }

    @Test
    void aRequestWithoutABodyStaysSo() throws IOException {
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway =
                        with(upstream, new Marks("").onRequest()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Content-Length")).isNull();
            assertThat(seen.header("Transfer-Encoding")).isNull();
        }
    }

    @Test
    void aResponseOfKnownLengthGoesOnInChunks() throws IOException {
        Marks marks = new Marks("!");
        try (ScriptedUpstream upstream = answering(Answer.ok("hello").chunked(2).trailer("X-One", "1"));
                GatewayFixture gateway = with(upstream, marks.onResponse()).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                assertThat(response.bodyText()).isEqualTo("hheelllloo!");
                assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
                assertThat(response.trailers().values("X-Two")).containsExactly("1+");
            }
        }
        try (ScriptedUpstream upstream = answering(Answer.ok("hello"));
                GatewayFixture gateway = with(upstream, marks.onResponse()).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.header("Content-Length")).isNull();
            assertThat(response.bodyText()).isEqualTo("hheelllloo!");
            RawResponse old = client.send(Ask.get10("/")).readResponse();
            assertThat(old.bodyText()).isEqualTo("hheelllloo!");
            assertThat(old.bodyEnd()).isEqualTo(BodyEnd.CLOSE);
        }
    }

    /** The next one sees what the one before wrote, its end included; of responses the innermost plugin's is the first. */
    @Test
    void severalInTheirOrder() throws IOException {
        Probe outer = Probe.probe()
                .onRequest(exchange -> {
                    exchange.transformRequestBody(new Marks("1"));
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    exchange.transformResponseBody(new Marks("2"));
                    return Outcome.CONTINUE;
                });
        Probe inner = Probe.probe()
                .onRequest(exchange -> {
                    exchange.transformRequestBody(new Marks("3"));
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    exchange.transformResponseBody(new Marks("4"));
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = answering(Answer.ok("b"));
                GatewayFixture gateway = with(upstream, outer, inner).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "a")).readResponse().bodyText())
                    .isEqualTo("bbbb442");
            assertThat(upstream.request(0).bodyText()).isEqualTo("aaaa113");
        }
    }

    /** What watches bodies sees what goes on. */
    @Test
    void chunksAreThoseThatGoOn() throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Probe watches = Probe.probe().onRequestChunk((exchange, chunk) -> seen.add(text(chunk)));
        watches.onResponseChunk((exchange, chunk) -> seen.add(text(chunk)));
        Probe changes = new Marks("").onRequest().onResponse(exchange -> {
            exchange.transformResponseBody(new Marks(""));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = answering(Answer.ok("b"));
                GatewayFixture gateway = with(upstream, watches, changes).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "a")).readResponse();
            assertThat(seen).containsExactly("aa", "bb");
        }
    }

    private static String text(ByteBuffer chunk) {
        byte[] bytes = new byte[chunk.remaining()];
        chunk.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void whatIsCollectedIsTransformedAndItsLengthKnown() throws IOException {
        Probe collects = Probe.probe().wholeRequest(1000).wholeResponse(1000);
        Probe both = new Marks("!").onRequest().onResponse(exchange -> {
            exchange.transformResponseBody(new Marks("?"));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = answering(Answer.ok("bc").chunked(1));
                GatewayFixture gateway = with(upstream, collects, both).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.sendByteByByte(Ask.post("/", "ab")).readResponse();
            assertThat(response.bodyText()).isEqualTo("bbcc?");
            assertThat(response.header("Content-Length")).isEqualTo("5");
            assertThat(upstream.request(0).bodyText()).isEqualTo("aabb!");
            assertThat(upstream.request(0).header("Content-Length")).isEqualTo("5");
        }
    }

    /** The server's bound on what it collects is one on what was made. */
    @Test
    void aServerThatCollectsCollectsWhatWasMade() throws IOException {
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, new Marks("!").onRequest())
                        .contentBytesMax(11)
                        .start();
                RawClient client = gateway.connect()) {
            client.sendByteByByte(Ask.post("/", "hello")).readResponse();
            assertThat(upstream.request(0).header("Content-Length")).isEqualTo("11");
            assertThat(client.sendByteByByte(Ask.post("/", "hello2"))
                            .readResponse()
                            .status())
                    .isEqualTo(413);
        }
    }

    @Test
    void whatCameBeforeThePluginsDecidedIsTransformed() throws IOException {
        CompletableFuture<Outcome> request = new CompletableFuture<>();
        CompletableFuture<Outcome> response = new CompletableFuture<>();
        Probe late = Probe.probe()
                .onRequest(exchange -> Outcome.suspend(request))
                .onResponse(exchange -> Outcome.suspend(response));
        Marks asked = new Marks("!");
        Marks answered = new Marks("?");
        Probe changes = asked.onRequest().onResponse(exchange -> {
            exchange.transformResponseBody(answered);
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = answering(Answer.ok("bc"));
                GatewayFixture gateway = with(upstream, changes, late).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "ab"));
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            assertThat(asked.bytes).hasValue(0);
            request.complete(Outcome.CONTINUE);
            upstream.awaitRequests(1);
            assertThat(answered.bytes).hasValue(0);
            response.complete(Outcome.CONTINUE);
            assertThat(client.readResponse().bodyText()).isEqualTo("bbcc?");
            assertThat(upstream.request(0).bodyText()).isEqualTo("aabb!");
            closedOnce(asked);
            closedOnce(answered);
        }
    }

    @Test
    void ownAnswersAreTransformedAndBodilessOnesNot() throws IOException {
        Marks marks = new Marks("!");
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> request.target().equals("/none") ? Answer.of(204) : Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .plugin("probe", marks.onResponse().config().settings())
                        .route("/none")
                        .route("/head")
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse missing = client.send(Ask.get("/missing")).readResponse();
            assertThat(missing.bodyText()).isEqualTo(Marks.of("There is nothing here.\n", "!"));
            assertThat(missing.header("Content-Length"))
                    .isEqualTo(Integer.toString(missing.bodyText().length()));
            closedOnce(marks);
            int bytes = marks.bytes.get();
            assertThat(client.send(Ask.get("/none")).readResponse().status()).isEqualTo(204);
            assertThat(client.send(Ask.head("/head")).readResponse("HEAD").status())
                    .isEqualTo(200);
            assertThat(marks.bytes).hasValue(bytes);
            assertThat(marks.ends).hasValue(1);
            Await.until("closed", () -> marks.closes.get() == 3);
        }
    }

    @Test
    void anotherResponseForgetsThem() throws IOException {
        Marks marks = new Marks("!");
        Probe replaces =
                Probe.probe().onResponse(exchange -> Outcome.respond(Response.of(418, Field.of("X-Tea", "pot"))));
        try (ScriptedUpstream upstream = answering(Answer.ok("hello"));
                GatewayFixture gateway =
                        with(upstream, replaces, marks.onResponse()).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(418);
            assertThat(response.bodyText()).isEmpty();
            assertThat(marks.ends).hasValue(0);
            closedOnce(marks);
        }
    }

    /** A body that is sent again is what was made of it the first time. */
    @Test
    void aRequestThatIsSentAgainIsTransformedOnce() throws IOException {
        Marks marks = new Marks("!");
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script()
                                .readRequest()
                                .respond(Answer.ok("first"))
                                .readRequest()
                                .close(),
                        Script.script()
                                .readRequest()
                                .respond(Answer.ok("fresh"))
                                .repeat());
                GatewayFixture gateway = with(upstream, marks.onRequest()).start();
                RawClient client = gateway.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                    .readResponse();
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.readResponse().bodyText()).isEqualTo("fresh");
            assertThat(upstream.request(2).bodyText()).isEqualTo("hheelllloo!");
            assertThat(marks.bytes).hasValue(5);
        }
    }

    // Calls of gRPC

    /** Blocking or not, over whichever version. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPluginMakesACall(boolean blocking) throws IOException {
        Probe makes = Probe.probe().onRequest(exchange -> {
            exchange.toGrpc();
            return Outcome.CONTINUE;
        });
        if (blocking) {
            makes.blocking();
        }
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.startOnHead(request -> Script.script().awaitPeerClose());
                GatewayFixture gateway = with(upstream, makes).start();
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\ngrpc-timeout: 200m\r\n\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("grpc-status")).isEqualTo("4");
        }
    }
}
