package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of which more becomes than one call writes, or than the other side takes; and the moments in which nothing comes. */
class HeldTransformTest {
    private static final int PIECE_BYTES = 10_000;

    static GatewayBuilder with(ScriptedUpstream upstream, Probe... probes) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route("/*", Arrays.stream(probes).map(Probe::config).toArray(PluginConfig[]::new));
    }

    /** Makes many bytes of each, a piece at a time; a mark in each pause, and at the end. */
    static final class Blown implements BodyTransform {
        final AtomicLong made = new AtomicLong();
        final AtomicInteger closes = new AtomicInteger();
        private final long each;
        private final String pause;
        private final String end;
        private final StringBuilder taken = new StringBuilder();
        private long left;

        Blown(long each, String pause, String end) {
            this.each = each;
            this.pause = pause;
            this.end = end;
        }

        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {
            taken.append(StandardCharsets.US_ASCII.decode(chunk));
            more(out);
        }

        @Override
        public boolean hasMore() {
            return left > 0 || !taken.isEmpty();
        }

        @Override
        public void more(BodyOutput out) {
            if (left == 0) {
                left = each;
            }
            byte[] piece = new byte[(int) Math.min(left, Math.min(PIECE_BYTES, out.room()))];
            Arrays.fill(piece, (byte) taken.charAt(0));
            out.write(piece, 0, piece.length);
            made.addAndGet(piece.length);
            left -= piece.length;
            if (left == 0) {
                taken.deleteCharAt(0);
            }
        }

        @Override
        public void pause(BodyOutput out) {
            out.write(StandardCharsets.US_ASCII.encode(pause));
        }

        @Override
        public void end(Head trailers, BodyOutput out) {
            out.write(StandardCharsets.US_ASCII.encode(end));
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    }

    private static Probe requests(BodyTransform transform) {
        return Probe.probe().onRequest(exchange -> {
            exchange.transformRequestBody(transform);
            return Outcome.CONTINUE;
        });
    }

    static Probe responses(BodyTransform transform) {
        return Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(transform);
            return Outcome.CONTINUE;
        });
    }

    private static String blown(String body, int each) {
        StringBuilder all = new StringBuilder();
        body.chars().forEach(c -> all.append(Character.toString(c).repeat(each)));
        return all.toString();
    }

    /** More than one turn of the event loop, and many times what one call may write. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10_000, 70_000, 900_000})
    void aRequestGoesOnAsItsNodeTakesIt(int each) throws IOException {
        Blown blown = new Blown(each, "", "!");
        int[] seen = {0};
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    seen[0] = (int) request.bodyBytes();
                    return Answer.ok("done");
                });
                GatewayFixture gateway = with(upstream, requests(blown))
                        .limit("bufferedBodyBytesMax", 4096)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "abcde"));
            assertThat(client.readResponse().bodyText()).isEqualTo("done");
            assertThat(seen[0]).isEqualTo(5 * each + 1);
            if (each <= 70_000) {
                assertThat(upstream.request(0).bodyText()).isEqualTo(blown("abcde", each) + "!");
            }
            Await.until("closed", () -> blown.closes.get() == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResponseGoesOnAsItsClientTakesIt(boolean chunked) throws IOException {
        Answer answer = chunked ? Answer.ok("abcde").chunked(1) : Answer.ok("abcde");
        Blown blown = new Blown(900_000, "", "!");
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> answer);
                GatewayFixture gateway = with(upstream, responses(blown)).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyText().equals(blown("abcde", 900_000) + "!"))
                    .isTrue();
            assertThat(response.truncated()).isFalse();
            Await.until("closed", () -> blown.closes.get() == 1);
        }
    }

    /** What its client sends meanwhile isn't read without end either. */
    @Test
    void aNodeThatTakesNothingStopsItAndItsClient() throws Exception {
        Blown blown = new Blown(1L << 20, "", "");
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readHead().stall(gate).readBody().respond(Answer.ok("done")));
                GatewayFixture gateway = with(upstream, requests(blown)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 60) + "a".repeat(30));
            long made = Ask.standstill("what is made", blown.made::get);
            assertThat(made).isLessThan(30 << 20);
            client.send("b".repeat(30));
            gate.release();
            assertThat(client.deadline(Duration.ofSeconds(60)).readResponse().bodyText())
                    .isEqualTo("done");
            assertThat(upstream.request(0).bodyBytes()).isEqualTo(60L << 20);
        }
    }

    /** The first one holds back, the second one too: each byte passes both, in its order. */
    @Test
    void severalThatHold() throws IOException {
        Blown first = new Blown(700, "", "x");
        Blown second = new Blown(700, "", "y");
        Probe both = Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(first);
            exchange.transformResponseBody(second);
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> Answer.ok("ab").trailer("X-End", "1").chunked(1));
                GatewayFixture gateway =
                        with(upstream, both).limit("bufferedBodyBytesMax", 512).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyText().equals(blown("ab", 490_000) + blown("x", 700) + "y"))
                    .isTrue();
            assertThat(response.trailers().values("X-End")).containsExactly("1");
        }
    }

    @Test
    void whatWasCollectedMayBecomeMoreThanMayBeCollected() throws IOException {
        Probe collects = Probe.probe().wholeRequest(100).wholeResponse(100);
        Blown asked = new Blown(1_000_000, "", "!");
        Blown answered = new Blown(1_000_000, "", "?");
        Probe both = requests(asked).onResponse(exchange -> {
            exchange.transformResponseBody(answered);
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("cd"));
                GatewayFixture gateway = with(upstream, collects, both).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.post("/", "ab")).readResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.bodyBytes()).isEqualTo(2_000_001);
            assertThat(response.bodyText().equals(blown("cd", 1_000_000) + "?")).isTrue();
            assertThat(response.header("Content-Length")).isNull();
            assertThat(upstream.request(0).bodyBytes()).isEqualTo(2_000_001);
            assertThat(upstream.request(0).header("Content-Length")).isNull();
        }
    }

    @Test
    void aServerThatCollectsRefusesWhatBecomesTooMuch() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("done"));
                GatewayFixture gateway = with(upstream, requests(new Blown(100_000, "", "")))
                        .contentBytesMax(200_000)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "ab")).readResponse().status()).isEqualTo(200);
            assertThat(upstream.request(0).header("Content-Length")).isEqualTo("200000");
            assertThat(client.send(Ask.post("/", "abc")).readResponse().status())
                    .isEqualTo(413);
        }
    }

    /** A node that answers early takes the rest no more: it isn't made. */
    @Test
    void aNodeThatAnswersEarly() throws IOException {
        Blown blown = new Blown(1L << 32, "", "");
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readHead()
                        .respond(Answer.of(403).body("no"))
                        .close());
                GatewayFixture gateway = with(upstream, requests(blown)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "a"));
            assertThat(client.readResponse().status()).isEqualTo(403);
            Await.until("closed", () -> blown.closes.get() == 1);
            assertThat(blown.made).hasValueLessThan(1L << 30);
        }
    }

    /** Own answers are whole before their heads are written. */
    @Test
    void ownAnswersHaveABound() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .plugin(
                                "probe",
                                responses(new Blown(1 << 20, "", "")).config().settings())
                        .route("/there")
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/missing")).readResponse().status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void oneThatHasMoreAndWritesNothingFails() throws IOException {
        BodyTransform stuck = new BodyTransform() {
            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {}

            @Override
            public boolean hasMore() {
                return true;
            }
        };
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway = with(upstream, requests(stuck)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "a")).readResponse().status()).isEqualTo(500);
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    /** What is kept back is written when nothing more comes for the moment. */
    @Test
    void pauses() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
                        .stall(gate)
                        .send("1\r\nb\r\n0\r\n\r\n"));
                GatewayFixture gateway =
                        with(upstream, responses(new Blown(2, "|", "!"))).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            assertThat(new String(client.readBody(3), StandardCharsets.US_ASCII))
                    .isEqualTo("aa|");
            gate.release();
            assertThat(client.readRest().bodyText()).endsWith("bb!");
        }
    }

    /** What was held when nothing more came is seen all the same, and what was kept back of it. */
    @Test
    void pausesWhileMuchIsHeld() throws Exception {
        Gate gate = new Gate();
        int each = 5_000_000;
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
                        .stall(gate)
                        .send("1\r\nb\r\n0\r\n\r\n"));
                GatewayFixture gateway =
                        with(upstream, responses(new Blown(each, "|", "!"))).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            byte[] first = client.readBody(each + 1);
            assertThat(first[each - 1]).isEqualTo((byte) 'a');
            assertThat(first[each]).isEqualTo((byte) '|');
            gate.release();
            assertThat(client.readRest().bodyText()).endsWith("bb!");
        }
    }

    /** What came while a plugin thought the answer over is seen before more comes. */
    @Test
    void pausesBeforeItsPluginHasDecided() throws Exception {
        Gate gate = new Gate();
        CompletableFuture<Outcome> decision = new CompletableFuture<>();
        AtomicBoolean asked = new AtomicBoolean();
        Probe both = Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(new Blown(2, "|", "!"));
            asked.set(true);
            return Outcome.suspend(decision);
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
                        .stall(gate)
                        .send("1\r\nb\r\n0\r\n\r\n"));
                GatewayFixture gateway = with(upstream, both).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Await.until("asked", asked::get);
            decision.complete(Outcome.CONTINUE);
            client.readHead();
            assertThat(new String(client.readBody(3), StandardCharsets.US_ASCII))
                    .isEqualTo("aa|");
            gate.release();
            assertThat(client.readRest().bodyText()).endsWith("bb!");
        }
    }

    /** A node that has answered is asked by others, however long the client of that answer takes for it. */
    @Test
    void aNodeThatHasAnsweredIsFree() throws IOException {
        Blown blown = new Blown(1L << 30, "", "");
        Probe large = Probe.probe().onResponse(exchange -> {
            if (exchange.request().path().equals("/large")) {
                exchange.transformResponseBody(blown);
            }
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway = with(upstream, large).workers(1).start();
                RawClient slow = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient other = gateway.connect()) {
            slow.send(Ask.get("/large"));
            Ask.standstill("what is made", blown.made::get);
            for (int i = 0; i < 3; i++) {
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("a");
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    /** Its length would be that of what nobody has made. */
    @Test
    void headHasNoLength() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        with(upstream, responses(new Blown(2, "", ""))).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(Ask.head("/")).readResponse("HEAD");
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.header("Content-Length")).isNull();
                assertThat(response.header("Transfer-Encoding")).isNull();
            }
        }
    }
}
