package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that answer late, fail and close as they like, clients that go away, few connections: each answer is whole, and nothing is left. */
@Tag("long")
@Isolated("how many requests a second there are")
class HedgeSoakTest {
    private static final long SOAK_NANOS = TimeUnit.SECONDS.toNanos(4);
    /** For want of hedges. */
    private static final long SOAK_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    private static final long WON_MIN = 5;
    private static final int CLIENTS = 24;
    private static final int BODY_BYTES_MAX = 60_000;
    private static final GeneratedBody BIG = GeneratedBody.of(5, 300_000);
    /** Printed where it fails, so that it can be tried again. */
    private static final long SEED = System.nanoTime();

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
    void nothingIsLeftBehind(RuntimeConfig.Transport transport) throws Exception {
        Needed.transport(transport);
        try (ScriptedUpstream one = node();
                ScriptedUpstream two = node();
                ScriptedUpstream three = node();
                GatewayFixture gateway = GatewayFixture.to(one, two, three)
                        .transport(transport)
                        .strategy(RuleStrategy.P2C)
                        .workers(2)
                        .passive("enabled", false)
                        .client("maxPoolSizePerServer", 8)
                        .client("waitTimeoutNanos", Duration.ofSeconds(20))
                        .budget(100, 1000)
                        .breaker("requestsMax", 40)
                        .breaker("retriesMax", 20)
                        .hedge(Duration.ofMillis(5), 100)
                        .start()) {
            long since = System.nanoTime();
            Queue<Object> outcomes = PoolTest.concurrently(
                    CLIENTS, number -> soak(gateway, new Random(SEED + number), () -> goesOn(gateway, since)));

            assertThat(outcomes).as("seed " + SEED).hasSize(CLIENTS).containsOnly("fine");
            long hedges = gateway.count(Counter.UPSTREAM_HEDGES);
            assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isBetween(WON_MIN, hedges);
            HedgedNodes.idle(gateway);
        }
    }

    /**
     * For so long, and until some hedges have won: while the gateway is cold all answers are slow, and what is longer than usual is longer than
     * what the nodes wait.
     */
    private static boolean goesOn(GatewayFixture gateway, long since) {
        long nanos = System.nanoTime() - since;
        return nanos < SOAK_NANOS || (nanos < SOAK_NANOS_MAX && gateway.count(Counter.UPSTREAM_HEDGES_WON) < WON_MIN);
    }

    private static Object soak(GatewayFixture gateway, Random random, BooleanSupplier goesOn) throws IOException {
        RawClient client = gateway.connect().deadline(Duration.ofSeconds(30));
        try {
            while (goesOn.getAsBoolean()) {
                if (!ask(client, random)) {
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
    private static boolean ask(RawClient client, Random random) throws IOException {
        return switch (random.nextInt(8)) {
            case 0 -> {
                client.send(Ask.get("/late"));
                if (random.nextBoolean()) {
                    client.reset();
                }
                yield false;
            }
            case 1 -> {
                GeneratedBody body = GeneratedBody.of(random.nextLong(), random.nextInt(BODY_BYTES_MAX));
                client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.bytes() + "\r\n\r\n");
                client.send(body);
                yield isWhole(client, body.sha256());
            }
            case 2 -> {
                GeneratedBody body = GeneratedBody.of(random.nextLong(), random.nextInt(BODY_BYTES_MAX));
                client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
                client.sendChunked(body, 3000);
                yield isWhole(client, body.sha256());
            }
            case 3 -> {
                var response = client.send(Ask.get("/big")).readResponse();
                assertThat(response.status()).isIn(200, 502, 503);
                if (response.status() == 200) {
                    assertThat(response.bodySha256()).isEqualTo(BIG.sha256());
                }
                yield true;
            }
            default -> {
                client.send(Ask.get("/late"));
                yield isWhole(client, "late");
            }
        };
    }

    /** All nodes may have failed, too. */
    private static boolean isWhole(RawClient client, String text) throws IOException {
        var response = client.readResponse();
        assertThat(response.status()).isIn(200, 502, 503);
        if (response.status() == 200) {
            assertThat(response.bodyText()).isEqualTo(text);
        }
        return !"close".equals(response.header("Connection"));
    }

    private static ScriptedUpstream node() {
        return ScriptedUpstream.start(UpstreamOptions.defaults().withRequestsKept(0), HedgeSoakTest::answer);
    }

    private static Step answer(ReceivedRequest request) {
        Step good = switch (request.target()) {
            case "/echo" -> Answer.ok(request.bodySha256());
            case "/big" -> Answer.ok("").body(BIG).chunked(20_000);
            default -> Answer.ok("late");
        };
        int chance = ThreadLocalRandom.current().nextInt(100);
        Duration late = Duration.ofMillis(chance < 85 ? chance % 4 : 20 + chance);
        return switch (chance % 20) {
            case 1 -> Script.script().pause(late).close();
            case 2 -> Script.script().pause(late).send("garbage\r\n\r\n");
            case 3 -> Script.script().pause(late).respond(Answer.of(503).body("no"));
            default -> Script.script().pause(late).step(good);
        };
    }
}
