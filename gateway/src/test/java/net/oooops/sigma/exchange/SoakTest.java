package net.oooops.sigma.exchange;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Good, bad and broken-off requests, all mixed, over two Workers: what is good is answered, and nothing is left behind. */
@Tag("long")
class SoakTest {
    private static final long SOAK_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final int CLIENTS = 50;
    private static final int BODY_BYTES_MAX = 200_000;
    /** Printed where it fails, so that it can be tried again. */
    private static final long SEED = System.nanoTime();

    /** What a client does next. */
    private enum Kind {
        GET,
        POST,
        CHUNKED,
        PIPELINED,
        BLOCKING,
        SUSPENDED,
        UNROUTED,
        NODE_FAULT,
        BAD,
        LEFT_IN_HEAD,
        LEFT_IN_BODY,
        LEFT_WAITING,
        LEFT_IN_ANSWER
    }

    private final Map<Kind, LongAdder> done = new EnumMap<>(Kind.class);
    private final LongAdder unannounced = new LongAdder();
    private final LongAdder wholePosts = new LongAdder();
    private final LongAdder cutPosts = new LongAdder();

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
    void nothingIsLeftBehind(RuntimeConfig.Transport transport) throws Exception {
        Needed.transport(transport);
        for (Kind kind : Kind.values()) {
            done.put(kind, new LongAdder());
        }
        Probe blocks = Probe.probe().onRequest(exchange -> soon().get()).blocking();
        Probe suspends =
                Probe.probe().onResponse(exchange -> Outcome.suspend(soon())).wholeResponse(BODY_BYTES_MAX);
        try (ScriptedUpstream one = node();
                ScriptedUpstream two = node();
                GatewayFixture gateway = GatewayFixture.to(one, two)
                        .transport(transport)
                        .workers(2)
                        .plugins(Probe.LOADER)
                        .client("maxPoolSizePerServer", 12)
                        .client("waitTimeoutNanos", Duration.ofSeconds(20))
                        .timeout("lingerNanos", Duration.ofMillis(200))
                        .proxyPass("responseTimeoutNanos", Duration.ofSeconds(20))
                        .route("/blocking", blocks.config())
                        .route("/suspended", suspends.config())
                        .route("/:one")
                        .start()) {
            long end = System.nanoTime() + SOAK_NANOS;
            Queue<Object> outcomes =
                    PoolTest.concurrently(CLIENTS, number -> soak(gateway, new Random(SEED + number), end));

            assertThat(outcomes).as("seed " + SEED).hasSize(CLIENTS).containsOnly("fine");
            assertThat(done)
                    .as(done.toString())
                    .allSatisfy((kind, count) -> assertThat(count.sum()).isPositive());
            // Each connection that a node closed unannounced breaks one request at most.
            assertThat(cutPosts.sum()).as("posts that are 502").isLessThanOrEqualTo(unannounced.sum());
            assertThat(wholePosts.sum()).as("posts that are 200").isPositive();
            Ask.quiet(gateway);
            Counters counters = gateway.counters();
            assertThat(counters.count(Counter.BLOCKING_CALLS_IN_FLIGHT)).isZero();
            assertThat(counters.pools())
                    .allSatisfy(pool -> assertThat(pool.open()).isBetween(0, 12));
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/get")).readResponse().status()).isEqualTo(200);
            }
        }
    }

    private Object soak(GatewayFixture gateway, Random random, long end) throws IOException {
        RawClient client = gateway.connect().deadline(Duration.ofSeconds(30));
        try {
            while (System.nanoTime() < end) {
                Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
                boolean goesOn = ask(kind, client, random);
                requireNonNull(done.get(kind)).increment();
                if (!goesOn) {
                    client.close();
                    client = gateway.connect().deadline(Duration.ofSeconds(30));
                }
            }
            return "fine";
        } finally {
            client.close();
        }
    }

    /** Does one thing; whether the connection is good for another. */
    private boolean ask(Kind kind, RawClient client, Random random) throws IOException {
        GeneratedBody body = GeneratedBody.of(random.nextLong(), random.nextInt(BODY_BYTES_MAX));
        return switch (kind) {
            case GET -> expect(client.send(Ask.get("/get")).readResponse(), 200, "hello");
            case POST ->
                expectPost(
                        client.send(Ask.postHead("/echo", body.bytes()))
                                .send(body)
                                .readResponse(),
                        body);
            case CHUNKED ->
                expectPost(
                        client.send(Ask.postChunked("/echo"))
                                .sendChunked(body, 3000)
                                .readResponse(),
                        body);
            case PIPELINED -> pipelined(client);
            case BLOCKING -> expect(client.send(Ask.get("/blocking")).readResponse(), 200, "hello");
            case SUSPENDED -> expect(client.send(Ask.get("/suspended")).readResponse(), 200, "hello");
            case UNROUTED -> expect(client.send(Ask.get("/a/b/c")).readResponse(), 404, null);
            case NODE_FAULT -> {
                int fault = random.nextInt(5);
                expectFault(client.send(Ask.get("/fault" + fault)).readResponse(), fault);
                yield false;
            }
            case BAD -> {
                client.send("GET /get HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n");
                expect(client.readResponse(), 400, null);
                yield false;
            }
            case LEFT_IN_HEAD -> left(client.send("GET /get HTTP/1.1\r\nHos"), random);
            case LEFT_IN_BODY -> left(client.send(Ask.postHead("/echo", 1000) + "begin"), random);
            case LEFT_WAITING -> left(client.send(Ask.get("/slow")), random);
            case LEFT_IN_ANSWER -> {
                client.send(Ask.get("/big")).readHead();
                yield left(client, random);
            }
        };
    }

    private static boolean expect(RawResponse response, int status, @Nullable String body) {
        assertThat(response.status()).isEqualTo(status);
        if (body != null) {
            assertThat(response.bodyText()).isEqualTo(body);
        }
        return !"close".equals(response.header("Connection"));
    }

    /** The node may have closed the connection just then: that is told, and nothing else is. */
    private boolean expectPost(RawResponse response, GeneratedBody body) {
        if (response.status() == 502) {
            cutPosts.increment();
            return expect(response, 502, null);
        }
        wholePosts.increment();
        return expect(response, 200, body.sha256());
    }

    private void expectFault(RawResponse response, int fault) {
        switch (fault) {
            case 3 -> {
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.truncated()).isTrue();
            }
            case 4 -> {
                expect(response, 200, "last");
                unannounced.increment();
            }
            default -> expect(response, 502, null);
        }
    }

    /** What goes on a moment later. */
    private static CompletableFuture<Outcome> soon() {
        return CompletableFuture.supplyAsync(
                () -> Outcome.CONTINUE, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS));
    }

    private static boolean pipelined(RawClient client) throws IOException {
        client.send(Ask.get("/get").repeat(5));
        boolean goesOn = true;
        for (int i = 0; i < 5 && goesOn; i++) {
            goesOn = expect(client.readResponse(), 200, "hello");
        }
        return goesOn;
    }

    private static boolean left(RawClient client, Random random) {
        if (random.nextBoolean()) {
            client.reset();
        }
        return false;
    }

    private static ScriptedUpstream node() {
        return ScriptedUpstream.start(UpstreamOptions.defaults().withRequestsKept(0), SoakTest::answer);
    }

    private static Step answer(ReceivedRequest request) {
        return switch (request.target()) {
            case "/echo" -> Answer.ok(request.bodySha256());
            case "/slow" -> Script.script().pause(Duration.ofMillis(20)).respond(Answer.ok("slow"));
            case "/big" -> Answer.ok("").body(GeneratedBody.of(5, 2 << 20)).chunked(20_000);
            case "/fault0" -> Script.script().close();
            case "/fault1" -> Script.script().reset();
            case "/fault2" -> Script.script().send("garbage\r\n\r\n");
            case "/fault3" ->
                Script.script()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut")
                        .close();
            // Unannounced: whoever is sent over the connection next may find it closed.
            case "/fault4" -> Script.script().respond(Answer.ok("last")).close();
            default -> Answer.ok("hello");
        };
    }
}
