package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopTurns;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that plugins transform on their way, where a body isn't what it should be, a transform fails, or the exchange does. */
class TransformFaultTest {
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

    /** Fails at a byte, or at the end. */
    private record Failing(char at, Exception with) implements BodyTransform {
        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) throws Exception {
            while (chunk.hasRemaining()) {
                byte b = chunk.get();
                if (b == at) {
                    throw with;
                }
                out.write(b);
            }
        }

        @Override
        public void end(Head trailers, BodyOutput out) throws Exception {
            if (at == '$') {
                throw with;
            }
        }
    }

    private static Probe requests(BodyTransform transform) {
        return Probe.probe().onRequest(exchange -> {
            exchange.transformRequestBody(transform);
            return Outcome.CONTINUE;
        });
    }

    private static Probe responses(BodyTransform transform) {
        return Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(transform);
            return Outcome.CONTINUE;
        });
    }

    @ParameterizedTest
    @ValueSource(chars = {'h', 'o', '$'})
    void aRequestThatIsRefused(char at) throws IOException {
        Probe refuses = requests(new Failing(at, new RefusedBodyException("no letter")));
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, refuses).start();
                RawClient client = gateway.connect()) {
            client.sendByteByByte(Ask.post("/", "hello"));
            assertThat(client.readResponse().status()).isEqualTo(400);
            assertThat(gateway.faults(Fault.BAD_REQUEST)).isEqualTo(1);
            assertThat(upstream.requests()).noneMatch(ReceivedRequest::complete);
            client.expectClosed();
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(chars = {'h', 'o', '$'})
    void aRequestWhoseTransformFails(char at) throws IOException {
        Probe fails = requests(new Failing(at, new IllegalArgumentException("at " + at)));
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, fails).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "hello"));
            assertThat(client.readResponse().status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(chars = {'o', '$'})
    void aResponseThatIsRefusedIsCut(char at) throws IOException {
        Probe refuses = responses(new Failing(at, new RefusedBodyException("no letter")));
        try (ScriptedUpstream upstream = answering(Answer.ok("hello").chunked(1));
                GatewayFixture gateway = with(upstream, refuses).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.truncated()).isTrue();
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    /** Where all of it is there before its head is written, it isn't too late for an answer. */
    @Test
    void aCollectedResponseThatIsRefused() throws IOException {
        Probe refuses = responses(new Failing('$', new RefusedBodyException("no end")));
        try (ScriptedUpstream upstream = answering(Answer.ok("hello"));
                GatewayFixture gateway = with(upstream, Probe.probe().wholeResponse(100), refuses)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
        }
    }

    private static Probe edits() {
        return Probe.probe().onResponse(exchange -> {
            exchange.response()
                    .add(Field.of("X-Edited", "by " + exchange.response().status()));
            return Outcome.CONTINUE;
        });
    }

    /** As those are that take the place of an answer before it is transformed: else browsers couldn't read them, for want of CORS fields. */
    @Test
    void whatIsAnsweredInThePlaceOfATransformedAnswerIsEdited() throws IOException {
        Probe fails = responses(new Failing('$', new RefusedBodyException("no end")));
        Probe whole = Probe.probe().wholeResponse(100);
        try (ScriptedUpstream upstream = answering(Answer.ok("hello"));
                GatewayFixture gateway =
                        with(upstream, edits(), fails, edits(), whole).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.headers().values("X-Edited")).containsExactly("by 502");
        }
    }

    @Test
    void soIsWhatIsAnsweredInThePlaceOfSigmasOwn() throws IOException {
        Probe fails = responses(new Failing('$', new IllegalArgumentException("at the end")));
        Probe answers = Probe.probe().onRequest(exchange -> new Outcome.Respond(Response.text(200, "hello")));
        try (ScriptedUpstream upstream = answering(Answer.ok("none"));
                GatewayFixture gateway = with(upstream, edits(), fails, answers).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(500);
            assertThat(response.headers().values("X-Edited")).containsExactly("by 500");
        }
    }

    @Test
    void aTransformThatWritesTooMuch() throws IOException {
        BodyTransform bomb = (chunk, out) -> {
            byte[] much = new byte[600];
            out.write(much, 0, much.length);
            out.write(ByteBuffer.wrap(much));
        };
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, requests(bomb))
                        .limit("bufferedBodyBytesMax", 1024)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "x")).readResponse().status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, requests(bomb))
                        .limit("bufferedBodyBytesMax", 1200)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "x")).readResponse().status()).isEqualTo(200);
            assertThat(upstream.request(0).bodyBytes()).isEqualTo(1200);
        }
    }

    /** What waits for a slow client goes before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThatFailsMayTellSo(boolean tells) throws IOException {
        byte[] much = "x".repeat(300_000).getBytes(StandardCharsets.US_ASCII);
        BodyTransform telling = new BodyTransform() {
            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {
                out.write(chunk);
            }

            @Override
            public boolean cut(Fault fault, BodyOutput out) {
                out.write(StandardCharsets.US_ASCII.encode(fault.name()));
                return tells;
            }
        };
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
                        .send(much)
                        .close());
                GatewayFixture gateway = with(upstream, responses(telling)).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.truncated()).isEqualTo(!tells);
            if (tells) {
                assertThat(response.bodyText()).hasSize(300_000 + 18).endsWith("xUPSTREAM_TRUNCATED");
            }
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isEqualTo(1);
        }
    }

    /** Nothing that was received before is lost by it, also where it awaits a turn of the event loop. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasReceivedGoesBeforeWhatTells(boolean fails) throws IOException {
        AtomicInteger chunks = new AtomicInteger();
        BodyTransform slow = new BodyTransform() {
            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {
                long since = System.nanoTime();
                while (System.nanoTime() - since < LoopTurns.TURN_NANOS) {
                    Thread.onSpinWait();
                }
                if (fails && chunks.incrementAndGet() > 1) {
                    throw new IllegalStateException("of a test");
                }
                out.write(chunk);
            }

            @Override
            public boolean cut(Fault fault, BodyOutput out) {
                out.write(StandardCharsets.US_ASCII.encode(fault.name()));
                return true;
            }
        };
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
                        .send("x".repeat(200_000))
                        .close());
                GatewayFixture gateway = with(upstream, responses(slow)).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.truncated()).isEqualTo(fails);
            if (!fails) {
                assertThat(response.bodyText()).hasSize(200_000 + 18).endsWith("xUPSTREAM_TRUNCATED");
            }
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(gateway.faults(fails ? Fault.PLUGIN_FAILED : Fault.UPSTREAM_TRUNCATED))
                    .isEqualTo(1);
            assertThat(gateway.faults(fails ? Fault.UPSTREAM_TRUNCATED : Fault.PLUGIN_FAILED))
                    .isZero();
        }
    }

    @Test
    void closedHoweverItEnds() throws IOException {
        Marks gone = new Marks("!");
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, gone.onRequest()).start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.postHead("/", 10) + "ab");
                Await.until("two bytes", () -> gone.bytes.get() == 2);
            }
            closedOnce(gone);
            assertThat(gone.ends).hasValue(0);
        }
        Marks cut = new Marks("!");
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
                        .close());
                GatewayFixture gateway = with(upstream, cut.onResponse()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().truncated()).isTrue();
            closedOnce(cut);
            assertThat(cut.ends).hasValue(0);
        }
    }

    @Test
    void onlyInTheirSteps() throws IOException {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Probe late = Probe.probe().onResponse(exchange -> {
            assertThatThrownBy(() -> exchange.transformRequestBody(new Marks("")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("onRequest");
            assertThatThrownBy(exchange::toGrpc).isInstanceOf(IllegalStateException.class);
            return Outcome.CONTINUE;
        });
        late.onRequest(exchange -> {
            assertThatThrownBy(() -> exchange.transformResponseBody(new Marks("")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("onResponse");
            return Outcome.CONTINUE;
        });
        BodyTransform keeps = new BodyTransform() {
            private @Nullable BodyOutput kept;

            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {
                kept = out;
                out.write(chunk);
            }

            @Override
            public void close() {
                BodyOutput late = Objects.requireNonNull(kept);
                try {
                    late.write(1);
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
            }
        };
        try (ScriptedUpstream upstream = answering(Answer.ok("done"));
                GatewayFixture gateway = with(upstream, late, requests(keeps)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "x")).readResponse().bodyText())
                    .isEqualTo("done");
            assertThat(thrown.join()).hasMessageContaining("call was over");
        }
    }
}
