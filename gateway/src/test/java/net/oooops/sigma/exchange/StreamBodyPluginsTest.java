package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource.Next;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that a plugin's source gives, among other plugins: what those see, change, collect, put in their place or throw away. */
class StreamBodyPluginsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private static Probe answering(GivenSource source) {
        return Probe.probe().onRequest(_ -> source.outcome());
    }

    /** Doubles each byte, and marks pauses and the end. */
    private static final class Doubled implements BodyTransform {
        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {
            byte[] twice = new byte[2 * chunk.remaining()];
            for (int i = 0; i < twice.length; i += 2) {
                twice[i] = chunk.get();
                twice[i + 1] = twice[i];
            }
            out.write(twice, 0, twice.length);
        }

        @Override
        public void pause(BodyOutput out) {
            out.write('|');
        }

        @Override
        public void end(Head trailers, BodyOutput out) {
            out.write('!');
        }
    }

    private static Probe doubling() {
        return Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(new Doubled());
            return Outcome.CONTINUE;
        });
    }

    @Test
    void aTransformChangesItAndIsToldOfPauses() throws IOException {
        LinkedBlockingQueue<String> parts = new LinkedBlockingQueue<>(List.of("ab"));
        GivenSource source = GivenSource.of(out -> {
            String part = parts.poll();
            if (part != null) {
                GivenSource.write(out, part);
            }
            return "z".equals(part) ? Next.END : Next.LATER;
        });
        try (GatewayFixture gateway = Way.in(doubling(), answering(source)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            assertThat(client.readBody(5)).asString().isEqualTo("aabb|");
            parts.add("z");
            source.more();
            assertThat(client.readRest().bodyText()).isEqualTo("aabb|zz!");
            source.closed();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatGrowsOnItsWayIsExactForASlowReader(boolean known) throws IOException {
        GeneratedBody content = GeneratedBody.of(9, 3 << 20);
        GivenSource source = GivenSource.of(content);
        Probe answers = Probe.probe()
                .onRequest(_ -> Outcome.respond(known ? source.response(content.bytes()) : source.response()));
        try (GatewayFixture gateway = Way.in(doubling(), doubling(), answers).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(64 * 1024))
                        .deadline(LONG)) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            byte[] once = content.toBytes();
            byte[] expected = new byte[4 * once.length + 3];
            for (int i = 0; i < expected.length - 3; i++) {
                expected[i] = once[i / 4];
            }
            expected[expected.length - 3] = '!';
            expected[expected.length - 2] = '!';
            expected[expected.length - 1] = '!';
            assertThat(response.body()).isEqualTo(expected);
            source.closed();
        }
    }

    @Test
    void gzipPacksIt() throws IOException {
        GivenSource source = GivenSource.of("{\"a\":\"" + "x".repeat(5000) + "\"}");
        Probe answers = Probe.probe()
                .onRequest(_ -> Outcome.respond(
                        source.response().with(200, List.of(Field.of("Content-Type", "application/json")))));
        GatewayBuilder builder = Way.in().plugin("gzip", Map.of());
        builder.plugin("probe", answers.config().settings());
        try (GatewayFixture gateway = builder.start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send("GET / HTTP/1.1\r\nHost: a.example\r\nAccept-Encoding: gzip\r\n\r\n")
                    .readResponse();
            assertThat(response.header("Content-Encoding")).isEqualTo("gzip");
            byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes();
            assertThat(unpacked).hasSize(5008);
            source.closed();
        }
    }

    @Test
    void whoNeedsTheWholeGetsItUpToItsBound() throws IOException {
        List<String> seen = new ArrayList<>();
        Probe collects = Probe.probe().wholeResponse(5000).onResponse(exchange -> {
            int bytes = exchange.responseBody().remaining();
            seen.add(exchange.response().status() + " " + bytes);
            if (bytes == 7) {
                exchange.responseBody(ByteBuffer.wrap("anotheranother".getBytes(StandardCharsets.US_ASCII)));
            }
            return Outcome.CONTINUE;
        });
        List<GivenSource> made = new ArrayList<>();
        Probe answers = Probe.probe().onRequest(exchange -> {
            int bytes = Integer.parseInt(exchange.request().path().substring(1));
            GivenSource source = GivenSource.of(GeneratedBody.of(3, bytes));
            made.add(source);
            return bytes == 5002 ? Outcome.respond(source.response(bytes)) : source.outcome();
        });
        try (GatewayFixture gateway = Way.in(collects, answers).start();
                RawClient client = gateway.connect()) {
            RawResponse all = client.send(Ask.get("/5000")).readResponse();
            assertThat(all.header("Content-Length")).isEqualTo("5000");
            assertThat(all.body()).isEqualTo(GeneratedBody.of(3, 5000).toBytes());
            assertThat(client.send(Ask.get("/7")).readResponse().bodyText()).isEqualTo("anotheranother");
            assertThat(client.send(Ask.get("/0")).readResponse().bodyBytes()).isZero();
            assertThat(client.send(Ask.head("/5000")).readResponse("HEAD").status())
                    .isEqualTo(200);
            made.forEach(GivenSource::closed);
            assertThat(client.send(Ask.get("/5001")).readResponse().status()).isEqualTo(502);
            made.get(4).closed(Fault.UPSTREAM_PROTOCOL);
            assertThat(client.send(Ask.get("/5002")).readResponse().status()).isEqualTo(502);
            made.get(5).closed(Fault.UPSTREAM_PROTOCOL);
            assertThat(made.get(5).asked).hasValue(0);
        }
        assertThat(seen).containsExactly("200 5000", "200 7", "200 0", "200 0", "502 47", "502 47");
    }

    @Test
    void oneThatStallsWhileItIsCollectedIsAFaultThatIsAnswered() throws IOException {
        GivenSource source = GivenSource.of(_ -> Next.LATER);
        Probe collects = Probe.probe().wholeResponse(5000).onResponse(_ -> Outcome.CONTINUE);
        try (GatewayFixture gateway = Way.in(collects, answering(source))
                        .timeout("pluginNanos", Duration.ofMillis(200))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            source.closed(Fault.PLUGIN_FAILED);
        }
    }

    @Test
    void anotherResponseInItsPlaceEndsIt() throws IOException {
        GivenSource source = GivenSource.of("first");
        GivenSource other = GivenSource.of("second");
        Probe replaces = Probe.probe().onResponse(exchange -> other.outcome());
        try (GatewayFixture gateway = Way.in(replaces, answering(source)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("second");
            source.closed();
            other.closed();
            assertThat(source.isBegun()).isFalse();
        }
    }

    @Test
    void aPluginThatFailsBeforeItBeginsEndsIt() throws IOException {
        GivenSource source = GivenSource.of("first");
        Probe fails = Probe.probe().onResponse(exchange -> {
            throw new IllegalStateException("as asked");
        });
        try (GatewayFixture gateway = Way.in(fails, answering(source)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            source.closed(Fault.PLUGIN_FAILED);
        }
    }

    @Test
    void onesThatWatchesAndThrowsCutsIt() throws IOException {
        GivenSource source = GivenSource.of(GeneratedBody.of(1, 1 << 20));
        AtomicInteger chunks = new AtomicInteger();
        Probe watches = Probe.probe().onResponseChunk((_, _) -> {
            if (chunks.incrementAndGet() == 3) {
                throw new IllegalStateException("as asked");
            }
        });
        try (GatewayFixture gateway = Way.in(watches, answering(source)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().truncated()).isTrue();
            source.closed(Fault.PLUGIN_FAILED);
        }
    }

    /** An exchange that has failed already may be answered by a stream, which passes transforms as any other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anErrorIsAnsweredWithOne(boolean transformed) throws IOException {
        GeneratedBody content = GeneratedBody.of(2, 300_000);
        GivenSource source = GivenSource.of(content);
        Probe pages = Probe.probe().onResponse(exchange -> {
            assertThat(exchange.fault()).isEqualTo(Fault.NO_ROUTE);
            return Outcome.respond(source.response().with(404, List.of()));
        });
        GatewayBuilder builder = transformed ? Way.in(doubling(), pages) : Way.in(pages);
        try (GatewayFixture gateway = builder.route("/only").start();
                RawClient client = gateway.connect().deadline(LONG)) {
            RawResponse response = client.send(Ask.get("/other")).readResponse();
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.bodyBytes()).isEqualTo(transformed ? 600_001 : 300_000);
            source.closed();
        }
    }

    @Test
    void inTheResponseItTakesTheNodesPlace() throws IOException {
        GivenSource source = GivenSource.of("of the plugin");
        Probe replaces = Probe.probe().onResponse(exchange -> source.outcome());
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("of the node"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", replaces.config())
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("of the plugin");
            source.closed();
        }
    }

    @Test
    void aSecondExchangeDoesNotGetTheSame() throws IOException {
        AtomicInteger times = new AtomicInteger();
        GivenSource source = GivenSource.of(out -> {
            GivenSource.write(out, "x");
            return times.incrementAndGet() == 2 ? Next.END : Next.LATER;
        });
        Response kept = source.response();
        try (GatewayFixture gateway = Way.in(Probe.probe().onRequest(_ -> Outcome.respond(kept)))
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(Ask.get("/")).readHead();
            assertThat(second.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            source.more();
            assertThat(first.readRest().bodyText()).isEqualTo("xx");
            source.closed();
        }
    }

    @Test
    void anOutcomeThatComesTooLateEndsIt() throws IOException {
        CompletableFuture<Outcome> late = new CompletableFuture<>();
        GivenSource source = GivenSource.of("late");
        try (GatewayFixture gateway = Way.in(Probe.probe().onRequest(_ -> Outcome.suspend(late)))
                        .timeout("pluginNanos", Duration.ofMillis(200))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            late.complete(source.outcome());
            source.closed();
            assertThat(source.isBegun()).isFalse();
        }
    }

    @Test
    void aBlockingPluginsSourceIsAskedOnTheEventLoop() throws IOException {
        GivenSource source = GivenSource.of("blocking");
        try (GatewayFixture gateway = Way.in(answering(source).blocking()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("blocking");
            source.closed();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inShadowItIsThrownAway(boolean later) throws IOException {
        GivenSource source = GivenSource.of("shadow");
        Probe answers = Probe.probe()
                .onRequest(_ -> later
                        ? Outcome.suspend(CompletableFuture.supplyAsync(source::outcome, Thread::startVirtualThread))
                        : source.outcome());
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("of the node"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", answers.shadow())
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("of the node");
            source.closed();
            assertThat(source.isBegun()).isFalse();
        }
    }

    @Test
    void aReloadLeavesItBe() throws Exception {
        AtomicInteger times = new AtomicInteger();
        GivenSource source = GivenSource.of(out -> {
            GivenSource.write(out, "x");
            return times.incrementAndGet() == 2 ? Next.END : Next.LATER;
        });
        PluginCatalog catalog = new PluginCatalog(Probe.LOADER);
        SigmaConfig next = GatewayFixture.toPorts(1).plugins(catalog).config();
        try (GatewayFixture gateway = Way.in(answering(source)).plugins(catalog).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            gateway.gateway().reload(before -> new Gateway.Next(SnapshotCompiler.compile(next, catalog, before)));
            assertThat(client.readBody(1)).hasSize(1);
            source.more();
            assertThat(client.readRest().bodyText()).isEqualTo("xx");
            source.closed();
            assertThat(client.send(Ask.get("/")).readResponse().status())
                    .as("the plugin is gone, and no node listens")
                    .isEqualTo(502);
        }
    }

    @Test
    void aReasonIsInTheLog() throws IOException {
        Path log = dir.resolve("access.log");
        AtomicLong counted = new AtomicLong();
        Reason reason = new Reason("probe: asleep", counted::addAndGet);
        Probe answers = Probe.probe()
                .onRequest(_ -> reason.respond(GivenSource.of("later").response()));
        try (GatewayFixture gateway = Way.in(answers).accessLog(log).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("later");
            gateway.drain(Duration.ofSeconds(5));
        }
        assertThat(counted).hasValue(1);
        var line = new ObjectMapper().readTree(Files.readString(log));
        assertThat(line.get("status").intValue()).isEqualTo(200);
        assertThat(line.get("flag").asText()).isEqualTo("PR");
        assertThat(line.get("reason").asText()).isEqualTo("probe: asleep");
    }
}
