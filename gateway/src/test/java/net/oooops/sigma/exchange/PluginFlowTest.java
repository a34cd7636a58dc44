package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins in whole exchanges: what they see, in which order, and what becomes of what they decide. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class PluginFlowTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    // Order

    @Test
    void requestsPassInOrderAndResponsesReversed() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, watcher("a"), watcher("b"), watcher("c"), watcher("d"));
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();

            Await.value("seen", seen::size, n -> n == 12);
            assertThat(seen)
                    .containsExactly(
                            "a request",
                            "b request",
                            "c request",
                            "d request", //
                            "d response 200",
                            "c response 200",
                            "b response 200",
                            "a response 200", //
                            "d end",
                            "c end",
                            "b end",
                            "a end");
        }
    }

    @Test
    void aResponseToARequestPassesOnlyThoseThatSawTheRequest() throws IOException {
        Probe answering = watcher("b").onRequest(exchange -> {
            seen.add("b answers");
            return Outcome.respond(Response.text(403, "no"));
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, watcher("a"), answering, watcher("c"), watcher("d"));
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.bodyText()).isEqualTo("no");
            Await.value("seen", seen::size, n -> n == 6);
            assertThat(seen)
                    .containsExactly("a request", "b answers", "b response 403", "a response 403", "b end", "a end");
            assertThat(upstream.connectionCount()).isZero();
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(403);
        }
    }

    @Test
    void aResponseToAResponseTakesItsPlace() throws IOException {
        Probe replacing = watcher("c").onResponse(exchange -> {
            seen.add("c replaces " + exchange.response().status());
            return Outcome.respond(Response.text(418, "teapot"));
        });
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> Answer.ok("").body(GeneratedBody.of(1, 1 << 20)));
                GatewayFixture gateway = chain(upstream, watcher("a"), watcher("b"), replacing, watcher("d"));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                assertThat(response.status()).isEqualTo(418);
                assertThat(response.bodyText()).isEqualTo("teapot");
            }
            assertThat(seen)
                    .containsSubsequence("d response 200", "c replaces 200", "b response 418", "a response 418");
            Ask.count(gateway, Counter.REQUESTS_4XX, 3);
        }
    }

    @Test
    void pluginsEditRequestAndResponse() throws IOException {
        Probe edits = Probe.probe()
                .onRequest(exchange -> {
                    exchange.request().path("/other");
                    exchange.request().set(Field.of("X-Added", "1"));
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    exchange.response().status(201);
                    exchange.response().set(Field.of("X-Added", "2"));
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, edits);
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/path?query")).readResponse();

            assertThat(upstream.request(0).target()).isEqualTo("/other?query");
            assertThat(upstream.request(0).headers().values("X-Added")).containsExactly("1");
            assertThat(response.status()).isEqualTo(201);
            assertThat(response.header("X-Added")).isEqualTo("2");
        }
    }

    // Suspend

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSuspendedExchangeGoesOnWhereAnotherThreadSaysSo(boolean inResponse) throws IOException {
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        Probe suspends = inResponse
                ? Probe.probe().onResponse(exchange -> Outcome.suspend(next))
                : Probe.probe().onRequest(exchange -> Outcome.suspend(next));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = chain(upstream, watcher("a"), suspends);
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "body"));
            Await.until("suspended", () -> seen.contains("a request"));
            next.completeAsync(() -> Outcome.CONTINUE);

            assertThat(client.readResponse().bodyText()).isEqualTo("body");
        }
    }

    @Test
    void aSuspendedExchangeMayBeAnsweredOrSuspendedAgain() throws IOException {
        Probe suspends = Probe.probe()
                .onRequest(exchange -> Outcome.suspend(later(
                        () -> Outcome.suspend(later(() -> Outcome.respond(Response.text(401, "who?")))))));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, watcher("a"), suspends);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("who?");
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("who?");
            assertThat(seen).containsSubsequence("a request", "a response 401", "a end");
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    @Test
    void aSuspensionThatFailsIs500() throws IOException {
        Probe suspends = Probe.probe()
                .onRequest(exchange -> Outcome.suspend(CompletableFuture.failedFuture(new IOException("on purpose"))));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, suspends);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSuspensionThatNeverEndsIs500AndTooLateIsTooLate(boolean inResponse) throws IOException {
        List<CompletableFuture<Outcome>> nexts = new CopyOnWriteArrayList<>();
        Probe.Step suspend = exchange -> {
            if (exchange.request().path().equals("/plain")) {
                return Outcome.CONTINUE;
            }
            nexts.add(new CompletableFuture<>());
            return Outcome.suspend(nexts.getLast());
        };
        Probe suspends =
                inResponse ? Probe.probe().onResponse(suspend) : Probe.probe().onRequest(suspend);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("pluginNanos", Duration.ofMillis(300))
                        .route("/*", suspends.config())
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
            nexts.getFirst().complete(Outcome.respond(Response.text(200, "late")));

            assertThat(client.send(Ask.get("/plain")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    // Failures

    static Stream<Arguments> failures() {
        Probe.Step throwsException = exchange -> {
            throw new IOException("on purpose");
        };
        Probe.Step throwsError = exchange -> {
            throw new NoClassDefFoundError("on purpose");
        };
        Probe.Part partThrows = (exchange, chunk) -> {
            throw new IllegalStateException("on purpose");
        };
        return Stream.of(
                Arguments.of("request, exception", probe(p -> p.onRequest(throwsException)), 500),
                Arguments.of("request, error", probe(p -> p.onRequest(throwsError)), 500),
                Arguments.of(
                        "request, blocking", probe(p -> p.onRequest(throwsError).blocking()), 500),
                Arguments.of("response, exception", probe(p -> p.onResponse(throwsException)), 500),
                Arguments.of("response, error", probe(p -> p.onResponse(throwsError)), 500),
                Arguments.of(
                        "response, blocking",
                        probe(p -> p.onResponse(throwsError).blocking()),
                        500),
                Arguments.of("request chunk", probe(p -> p.onRequestChunk(partThrows)), 500),
                Arguments.of("response chunk", probe(p -> p.onResponseChunk(partThrows)), 200),
                Arguments.of(
                        "response chunk after a pause",
                        probe(p -> p.onResponse(exchange -> Outcome.suspend(later(() -> Outcome.CONTINUE)))
                                .onResponseChunk(partThrows)),
                        200));
    }

    private static CompletableFuture<Outcome> later(Supplier<Outcome> outcome) {
        return CompletableFuture.supplyAsync(outcome, Thread::startVirtualThread);
    }

    private static Function<Probe, Probe> probe(Function<Probe, Probe> made) {
        return made;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void aPluginThatThrowsIs500OrATruncatedResponse(String name, Function<Probe, Probe> made, int status)
            throws IOException {
        Probe failing = made.apply(Probe.probe());
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, watcher("a"), failing, watcher("c"));
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.post("/", "body")).readResponse();

            assertThat(response.status()).as(name).isEqualTo(status);
            assertThat(response.truncated()).isEqualTo(status == 200);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
            Await.until("ended", () -> seen.contains("a end"));
            assertThat(seen.stream().filter(event -> event.equals("a end"))).hasSize(1);
            client.close();
            Ask.quiet(gateway);
        }
    }

    @Test
    void aPluginThatFailsAtTheEndHarmsNobody() throws IOException {
        Probe failing = Probe.probe().onEnd(exchange -> {
            throw new LinkageError("on purpose");
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, watcher("a"), failing);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            Await.value("a's ends", () -> seen.stream().filter("a end"::equals).count(), n -> n == 2);
        }
    }

    // Bodies

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void chunksAreEveryByteInOrder(boolean chunked) throws IOException {
        GeneratedBody body = GeneratedBody.of(3, 3_000_000);
        ByteArrayOutputStream up = new ByteArrayOutputStream();
        ByteArrayOutputStream down = new ByteArrayOutputStream();
        Probe collects = Probe.probe()
                .onRequestChunk((exchange, chunk) -> append(up, chunk))
                .onResponseChunk((exchange, chunk) -> append(down, chunk));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> chunked
                        ? Answer.ok("").body(body).chunked(10_000)
                        : Answer.ok("").body(body));
                GatewayFixture gateway = chain(upstream, collects);
                RawClient client = gateway.connect()) {
            if (chunked) {
                client.send(Ask.postChunked("/")).sendChunked(body, 7_000);
            } else {
                client.send(Ask.postHead("/", body.bytes())).send(body);
            }
            RawResponse response = client.readResponse();

            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(upstream.request(0).bodySha256()).isEqualTo(body.sha256());
            assertThat(up.toByteArray()).isEqualTo(body.toBytes());
            assertThat(down.toByteArray()).isEqualTo(body.toBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wholeBodiesAreCollectedAndReplaced(boolean chunked) throws IOException {
        Probe replaces = Probe.probe()
                .wholeRequest(1000)
                .wholeResponse(1000)
                .onRequest(exchange -> {
                    String text = text(exchange.requestBody());
                    exchange.requestBody(bytes("[" + text + "]"));
                    assertThat(text(exchange.requestBody())).isEqualTo("[" + text + "]");
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    exchange.responseBody(bytes("<" + text(exchange.responseBody()) + ">"));
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> chunked ? Answer.ok(request.bodyText()).chunked(3) : Answer.ok(request.bodyText()));
                GatewayFixture gateway = chain(upstream, replaces);
                RawClient client = gateway.connect()) {
            for (String text : List.of("hello", "", "x".repeat(900))) {
                if (chunked) {
                    client.send(Ask.postChunked("/"));
                    client.send(text.isEmpty() ? "0\r\n\r\n" : "%x\r\n%s\r\n0\r\n\r\n".formatted(text.length(), text));
                } else {
                    client.send(Ask.post("/", text));
                }
                RawResponse response = client.readResponse();
                assertThat(response.bodyText()).isEqualTo("<[" + text + "]>");
                assertThat(response.header("Content-Length")).isEqualTo("" + response.bodyBytes());
            }
            assertThat(upstream.request(0).bodyText()).isEqualTo("[hello]");
            assertThat(upstream.request(0).headers().values("Content-Length")).containsExactly("7");
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestTooLargeToCollectIs413(boolean chunked) throws IOException {
        Probe whole = Probe.probe().wholeRequest(100).onRequest(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = chain(upstream, whole);
                RawClient client = gateway.connect()) {
            if (chunked) {
                client.send(Ask.postChunked("/") + "65\r\n" + "x".repeat(101) + "\r\n0\r\n\r\n");
            } else {
                client.send(Ask.post("/", "x".repeat(101)));
            }
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(1);
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResponseTooLargeToCollectIs502(boolean chunked) throws IOException {
        Probe whole = Probe.probe().wholeResponse(100).onResponse(exchange -> Outcome.CONTINUE);
        Answer large = Answer.ok("x".repeat(101));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> chunked ? large.chunked(10) : large);
                GatewayFixture gateway = chain(upstream, whole);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
            upstream.awaitClosed(0);
        }
    }

    @Test
    void aResponseThatBreaksOffWhileItIsCollectedIs502() throws IOException {
        Probe whole = Probe.probe().wholeResponse(1000).onResponse(exchange -> {
            seen.add("response " + exchange.response().status());
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .sendCut(Answer.ok("hello"), 40)
                        .close());
                GatewayFixture gateway = chain(upstream, whole);
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.truncated()).isFalse();
            assertThat(seen).containsExactly("response 502");
        }
    }

    // The end

    private static void readOrLeave(boolean answered, RawClient client) throws IOException {
        if (answered) {
            client.readResponse();
        } else {
            client.reset();
        }
    }

    @Test
    void everyExchangeEndsOnce() throws IOException {
        List<String> ends = new CopyOnWriteArrayList<>();
        Probe counts =
                Probe.probe().onEnd(exchange -> ends.add(exchange.request().path() + " " + exchange.fault()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> switch (request.target()) {
                    case "/cut" ->
                        Script.script().sendCut(Answer.ok("hello"), 42).close();
                    case "/closed" -> Script.script().close();
                    case "/wait" -> Script.script().awaitPeerClose();
                    default -> Answer.ok("hello");
                });
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .plugin("probe", counts.config().settings())
                        .route("/only/*")
                        .route("/:one")
                        .withoutRetries()
                        .start()) {
            for (String path : List.of("/fine", "/cut", "/closed", "/a/b", "/wait")) {
                try (RawClient client = gateway.connect()) {
                    client.send(Ask.get(path));
                    boolean answered = !path.equals("/wait");
                    Await.until("answered, or at the node", () -> answered || upstream.requestCount() == 4);
                    readOrLeave(answered, client);
                }
            }
            Ask.quiet(gateway);
            assertThat(ends)
                    .containsExactlyInAnyOrder(
                            "/fine null",
                            "/cut UPSTREAM_TRUNCATED",
                            "/closed UPSTREAM_CLOSED",
                            "/a/b NO_ROUTE",
                            "/wait CLIENT_GONE");
        }
    }

    private Probe watcher(String name) {
        return Probe.probe()
                .onRequest(exchange -> {
                    seen.add(name + " request");
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    seen.add(name + " response " + exchange.response().status());
                    return Outcome.CONTINUE;
                })
                .onEnd(exchange -> seen.add(name + " end"));
    }

    /** The first is the listener's, the last the proxy-pass's where there are four, the others the route's. */
    private static GatewayFixture chain(ScriptedUpstream upstream, Probe... probes) {
        GatewayBuilder builder = GatewayFixture.to(upstream).plugins(Probe.LOADER);
        List<Probe> ofRoute = new ArrayList<>(List.of(probes));
        builder.plugin("probe", ofRoute.removeFirst().config().settings());
        if (ofRoute.size() == 3) {
            builder.proxyPass("plugins", List.of(ofRoute.removeLast().config()));
        }
        return builder.route(
                        "/*", ofRoute.stream().map(Probe::config).toArray(net.oooops.sigma.config.PluginConfig[]::new))
                .start();
    }

    private static void append(ByteArrayOutputStream to, ByteBuffer chunk) {
        byte[] copy = new byte[chunk.remaining()];
        chunk.get(copy);
        to.writeBytes(copy);
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }
}
