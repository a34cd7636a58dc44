package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins in shadow: they decide, it is told, and no exchange is any different for it. */
class ShadowPluginTest {
    private static final FieldName ACCEPT = FieldName.of("Accept");

    private final List<String> seen = new CopyOnWriteArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private static GatewayBuilder to(ScriptedUpstream upstream, PluginConfig... plugins) {
        return GatewayFixture.to(upstream).plugins(Probe.LOADER).route("/*", plugins);
    }

    private static void counted(GatewayFixture gateway, String outcome, long count) {
        Counters.Shadow expected = shadow(outcome, outcome.equals("answer") ? 403 : 0, count);
        Await.until(
                expected.toString(), () -> gateway.counters().shadows().stream().anyMatch(expected::equals));
    }

    private static Counters.Shadow shadow(String outcome, int status, long count) {
        return new Counters.Shadow("probe", outcome, status, "", count);
    }

    private static Outcome refused(Exchange exchange) {
        return Outcome.respond(Response.text(403, "no"));
    }

    /** Steps may lead to steps; and it may send requests only where it has said that it does. */
    @Test
    void aStepAfterAStepIsTakenAndAStrangersTargetIsNone() throws Exception {
        Probe steps = Probe.probe()
                .onRequest(exchange -> Outcome.then(first -> Outcome.then(second -> {
                    seen.add("sent " + second.target("elsewhere"));
                    return refused(second);
                })));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, steps.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            counted(gateway, "answer", 1);
        }
        assertThat(seen).containsExactly("sent false");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerIsCountedAndLoggedAndNotGiven(boolean inResponse) throws Exception {
        Path log = dir.resolve("access.log");
        Probe refuses = inResponse
                ? Probe.probe().onResponse(ShadowPluginTest::refused)
                : Probe.probe().onRequest(ShadowPluginTest::refused);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"))) {
            try (GatewayFixture gateway =
                            to(upstream, refuses.shadow()).accessLog(log).start();
                    RawClient client = gateway.connect()) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.bodyText()).isEqualTo("hello");
                counted(gateway, "answer", 1);
                gateway.drain(Duration.ofSeconds(5));
            }
        }
        JsonNode line = new ObjectMapper().readTree(Files.readString(log));
        assertThat(line.get("status").intValue()).isEqualTo(200);
        assertThat(line.get("flag").isNull()).isTrue();
        assertThat(line.get("reason").textValue()).isEqualTo("shadow: probe: 403");
    }

    /** Also of what it refuses with the gateway's own page, and of what it decides later. */
    @Test
    void reasonsAreCountedAndLogged() throws Exception {
        Path log = dir.resolve("access.log");
        Reason reason = new Reason("probe: unknown-key", count -> seen.add("counted"));
        Probe refuses = Probe.probe()
                .onRequest(x -> reason.respond(Response.text(401, "who?")))
                .onResponse(x -> Outcome.refuse(Fault.NO_ROUTE))
                .onEnd(x -> x.shadowed(reason.refuse(Fault.BODY_TOO_LARGE)));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"))) {
            try (GatewayFixture gateway =
                            to(upstream, refuses.shadow()).accessLog(log).start();
                    RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
                gateway.drain(Duration.ofSeconds(5));
                assertThat(gateway.counters().shadows())
                        .containsExactly(
                                new Counters.Shadow("probe", "answer", 401, "unknown-key", 1),
                                new Counters.Shadow("probe", "answer", 404, "no_route", 1),
                                new Counters.Shadow("probe", "answer", 413, "unknown-key", 1));
            }
        }
        JsonNode line = new ObjectMapper().readTree(Files.readString(log));
        assertThat(line.get("reason").textValue())
                .isEqualTo("shadow: probe: 401 unknown-key; shadow: probe: 404 no_route;"
                        + " shadow: probe: 413 unknown-key");
        assertThat(seen).isEmpty();
    }

    @Test
    void theLineOfAnExchangeThatFailsSaysBoth() throws Exception {
        Path log = dir.resolve("access.log");
        Probe refuses = Probe.probe().onRequest(ShadowPluginTest::refused);
        Probe fails = Probe.probe().onRequest(x -> {
            throw new IllegalStateException("broken");
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"))) {
            try (GatewayFixture gateway = to(upstream, refuses.shadow(), fails.config())
                            .accessLog(log)
                            .start();
                    RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
                gateway.drain(Duration.ofSeconds(5));
            }
        }
        JsonNode line = new ObjectMapper().readTree(Files.readString(log));
        assertThat(line.get("reason").textValue()).isEqualTo("PLUGIN_FAILED; shadow: probe: 403");
    }

    /** It sees its own edits; neither the node, nor the client, nor the next plugin does. */
    @Test
    void editsReachNobody() throws IOException {
        Probe edits = Probe.probe()
                .onRequest(x -> {
                    x.request().path("/other");
                    x.request().query("b=2");
                    x.request().set(Field.of("X-Mark", "1"));
                    x.request().remove(ACCEPT);
                    x.toGrpc();
                    seen.add(x.request().path()
                            + x.request().query()
                            + x.request().value(FieldName.of("x-mark"))
                            + x.request().has(ACCEPT)
                            + x.request().names());
                    return Outcome.CONTINUE;
                })
                .onResponse(x -> {
                    x.response().status(500);
                    x.response().set(Field.of("X-Mark", "2"));
                    seen.add(x.response().status() + " " + x.request().path());
                    return Outcome.CONTINUE;
                });
        Probe next = Probe.probe().onRequest(x -> {
            seen.add("next " + x.request().path() + x.request().has(ACCEPT));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        to(upstream, edits.shadow(), next.config()).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send("GET /a?x=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n")
                    .readResponse();

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("X-Mark")).isNull();
            assertThat(upstream.request(0).target()).isEqualTo("/a?x=1");
            assertThat(upstream.request(0).headers().values("X-Mark")).isEmpty();
            assertThat(upstream.request(0).headers().values("Accept")).containsExactly("*/*");
            assertThat(seen).containsExactly("/otherb=21false[Host, X-Mark]", "next /atrue", "500 /other");
            counted(gateway, "change", 2);
        }
    }

    @Test
    void bodiesAndTransformsReachNobody() throws IOException {
        CountDownLatch closed = new CountDownLatch(2);
        Probe edits = Probe.probe()
                .onRequest(x -> {
                    seen.add(text(x.requestBody()));
                    x.requestBody(ByteBuffer.wrap(new byte[100]));
                    seen.add(String.valueOf(x.requestBody().remaining()));
                    x.transformRequestBody(new Empty(closed));
                    return Outcome.CONTINUE;
                })
                .onResponse(x -> {
                    seen.add(text(x.responseBody()));
                    x.responseBody(ByteBuffer.wrap(new byte[100]));
                    x.transformResponseBody(new Empty(closed));
                    return Outcome.CONTINUE;
                })
                .wholeRequest(10)
                .wholeResponse(10);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("+" + request.bodyText()));
                GatewayFixture gateway = to(upstream, edits.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "body")).readResponse().bodyText())
                    .isEqualTo("+body");
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("+");
            assertThat(seen).containsExactly("body", "100", "+body", "", "100", "+");
            assertThat(closed.getCount()).isZero();
        }
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    /** Swallows what it is given. */
    private record Empty(CountDownLatch closed) implements BodyTransform {
        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {}

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /** What one that enforced would answer with 413 and 502 passes, and streams. */
    @Test
    void bodiesThatAreTooLargeForItPassUnseen() throws IOException {
        Probe whole = Probe.probe()
                .onRequest(x -> seen("request"))
                .onResponse(x -> seen("response"))
                .wholeRequest(5)
                .wholeResponse(5);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = to(upstream, whole.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "too large")).readResponse().bodyText())
                    .isEqualTo("too large");
            assertThat(client.send(Ask.postChunked("/") + "3\r\nabc\r\n0\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("abc");
            counted(gateway, "unseen", 2);
            assertThat(seen).isEmpty();
            assertThat(client.send(Ask.post("/", "small")).readResponse().bodyText())
                    .isEqualTo("small");
            assertThat(seen).containsExactly("request", "response");
        }
    }

    @Test
    void aResponseThatIsTooLargeForItPassesUnseen() throws IOException {
        Probe whole = Probe.probe().onResponse(x -> seen("response")).wholeResponse(5);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("much too large"));
                GatewayFixture gateway = to(upstream, whole.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("much too large");
            assertThat(client.send(Ask.head("/")).readHead("HEAD").status()).isEqualTo(200);
            counted(gateway, "unseen", 1);
        }
    }

    /** Beside one that enforces, whose bound holds. */
    @Test
    void oneThatEnforcesStillHasItsBound() throws IOException {
        Probe large = Probe.probe()
                .onRequest(x -> seen("shadow " + text(x.requestBody())))
                .wholeRequest(4);
        Probe small = Probe.probe().onRequest(x -> seen("enforce")).wholeRequest(8);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway =
                        to(upstream, large.shadow(), small.config()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "123456")).readResponse().status())
                    .isEqualTo(200);
            assertThat(client.send(Ask.post("/", "1234")).readResponse().status())
                    .isEqualTo(200);
            assertThat(client.send(Ask.post("/", "123456789")).readResponse().status())
                    .isEqualTo(413);
            assertThat(seen).containsExactly("enforce", "shadow 1234", "enforce");
        }
    }

    private Outcome seen(String what) {
        seen.add(what);
        return Outcome.CONTINUE;
    }

    @Test
    void failuresInAnyStepFailNothing() throws IOException {
        Probe fails = Probe.probe()
                .onRequest(x -> {
                    throw new IllegalStateException("request");
                })
                .onResponse(x -> Outcome.suspend(CompletableFuture.failedFuture(new IOException("late"))))
                .onRequestChunk((x, chunk) -> {
                    throw new IllegalStateException("chunk");
                })
                .onResponseChunk((x, chunk) -> {
                    throw new AssertionError("chunk");
                })
                .onEnd(x -> {
                    throw new IllegalStateException("end");
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = to(upstream, fails.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "body")).readResponse().bodyText())
                    .isEqualTo("body");
            counted(gateway, "failure", 5);
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 0);
        }
    }

    @Test
    @SuppressWarnings("NullAway") // as a plugin that isn't checked for null may
    void noOutcomeIsAFailure() throws IOException {
        Probe none = Probe.probe().onRequest(x -> null);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, none.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            counted(gateway, "failure", 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatASuspendedOneDecidesIsTold(boolean inResponse) throws IOException {
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        Probe suspends = inResponse
                ? Probe.probe().onResponse(x -> Outcome.suspend(next))
                : Probe.probe().onRequest(x -> Outcome.suspend(next));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, suspends.shadow()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            next.completeAsync(() -> Outcome.respond(Response.text(403, "no")));
            assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            counted(gateway, "answer", 1);
        }
    }

    /** It goes on when timeouts.plugin is over, and whatever that one does then is too late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatTakesTooLongIsLeft(boolean inResponse) throws IOException {
        CompletableFuture<Outcome> never = new CompletableFuture<>();
        CompletableFuture<Exchange> kept = new CompletableFuture<>();
        Probe.Step step = x -> {
            kept.complete(x);
            return Outcome.suspend(never);
        };
        Probe late = (inResponse
                        ? Probe.probe().onResponse(step)
                        : Probe.probe().onRequest(step))
                .onEnd(x -> seen.add("end " + x.request().path()));
        Probe next = Probe.probe().onRequest(x -> seen("next")).onResponse(x -> seen("next response"));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, late.shadow(), next.config())
                        .timeout("pluginNanos", Duration.ofMillis(200))
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 1; i <= 2; i++) {
                assertThat(client.send(Ask.get("/" + i)).readResponse().bodyText())
                        .isEqualTo("hello");
                counted(gateway, "timeout", i);
            }
            never.complete(Outcome.respond(Response.text(403, "no")));
            assertThat(client.send(Ask.get("/3")).readResponse().bodyText()).isEqualTo("hello");
            Await.until("ended", () -> seen.contains("end /3"));
            assertThat(seen)
                    .containsExactly(
                            "next",
                            "next response",
                            "end /1",
                            "next",
                            "next response",
                            "end /2",
                            "next",
                            "next response",
                            "end /3");
            assertThat(gateway.counters().shadows()).contains(shadow("timeout", 0, 2), shadow("answer", 403, 1));
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatBlocksIsToldToo(boolean inResponse) throws IOException {
        Probe blocks = inResponse
                ? Probe.probe().onResponse(ShadowPluginTest::refused)
                : Probe.probe().onRequest(ShadowPluginTest::refused);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        to(upstream, blocks.blocking().shadow()).start();
                RawClient client = gateway.connect()) {
            for (int i = 1; i <= 3; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
                counted(gateway, "answer", i);
            }
        }
    }

    /** Beyond limits.blocking-calls one that enforces gets 503 for its requests; one in shadow isn't shown them. */
    @Test
    void tooManyThatBlockFailNothing() throws IOException {
        CountDownLatch wait = new CountDownLatch(1);
        Probe blocks = Probe.probe().onRequest(x -> {
            seen.add("blocks");
            wait.await();
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, blocks.blocking().shadow())
                        .limit("blockingCallsMax", 1)
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(Ask.get("/"));
            Await.until("blocks", () -> seen.contains("blocks"));
            assertThat(second.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            counted(gateway, "unseen", 1);
            wait.countDown();
            assertThat(first.readResponse().status()).isEqualTo(200);
        }
    }

    @Test
    void aClientThatGoesAwayMeanwhileLeavesNothingBehind() throws IOException {
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        CompletableFuture<Boolean> suspended = new CompletableFuture<>();
        Probe suspends = Probe.probe().onRequest(x -> {
            suspended.complete(true);
            return Outcome.suspend(next);
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = to(upstream, suspends.shadow()).start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get("/"));
                Await.until("suspended", suspended::isDone);
                client.reset();
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            next.complete(Outcome.respond(Response.text(403, "no")));
            Ask.quiet(gateway);
            assertThat(gateway.counters().shadows()).isEmpty();
        }
    }

    @Test
    void statusesWithoutABodyStayAsTheyAre() throws IOException {
        Probe edits = Probe.probe()
                .onResponse(x -> {
                    x.responseBody(ByteBuffer.wrap(new byte[5]));
                    return Outcome.CONTINUE;
                })
                .wholeResponse(10);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> Answer.of(request.target().equals("/304") ? 304 : 204));
                GatewayFixture gateway = to(upstream, edits.shadow()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/204")).readHead().status()).isEqualTo(204);
            assertThat(client.send(Ask.get("/304")).readHead().status()).isEqualTo(304);
            counted(gateway, "change", 2);
        }
    }
}
