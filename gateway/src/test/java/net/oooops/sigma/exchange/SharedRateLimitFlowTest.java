package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.ChangedRecord;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.redis.RedisServer;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gateways beside each other, with a limit that they share through a real Redis. */
class SharedRateLimitFlowTest {
    private static final int CREDIT = 5;
    /** Of a request that waits for nothing; with room for a machine that others stall. */
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    /** A gateway refuses what is above its credit while Redis doesn't answer, which may take its time where others stall the machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RedisServer redis = RedisServer.start();
    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));

    @AfterEach
    void stop() {
        upstream.close();
        redis.close();
    }

    private GatewayBuilder sharing(int requests, Map<String, Object> more, Duration patience) {
        Map<String, Object> shared = new HashMap<>(Map.of("redis-id", "limits", "name", "api", "credit", CREDIT));
        shared.putAll(more);
        Map<String, Object> settings =
                Map.of("limits", List.of(Map.of("requests", requests, "per", "1h")), "shared", shared);
        RedisConfig.Bounds bounds =
                ChangedRecord.with(RedisConfig.Bounds.DEFAULT, "commandTimeoutNanos", patience.toNanos());
        return GatewayFixture.to(upstream)
                .redis(ChangedRecord.with(redis.config("limits"), "bounds", bounds))
                .workers(2)
                .route("/*", GatewayFixture.plugin("rate-limit", settings));
    }

    private GatewayBuilder sharing(int requests) {
        return sharing(requests, Map.of(), Duration.ofMillis(500));
    }

    /** How many of so many requests pass, each answered at once. */
    private static int passed(RawClient client, int tries) throws IOException {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            RawResponse response = ask(client);
            assertThat(response.status()).isIn(200, 429);
            passed += response.status() == 200 ? 1 : 0;
        }
        return passed;
    }

    /** The same, and further ones until so many have passed. */
    private static int passed(RawClient client, int tries, int least) throws IOException {
        int passed = passed(client, tries);
        long begin = System.nanoTime();
        while (passed < least && System.nanoTime() - begin < PATIENCE.toNanos()) {
            passed += passed(client, 1);
        }
        return passed;
    }

    private static RawResponse ask(RawClient client) throws IOException {
        long begin = System.nanoTime();
        RawResponse response = client.send(Ask.get("/")).readResponse();
        assertThat(System.nanoTime() - begin).isLessThan(AT_ONCE.toNanos());
        return response;
    }

    /** The guide's bound: as many as the limit, and what each gateway gives before Redis has said that it may. */
    @Test
    void twoGatewaysShareALimit() throws IOException {
        try (GatewayFixture one = sharing(100).start();
                GatewayFixture two = sharing(100).start();
                Crowd ofOne = Crowd.of(one, 8);
                Crowd ofTwo = Crowd.of(two, 8)) {
            int passed = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < 40 || (passed < 100 && System.nanoTime() - begin < PATIENCE.toNanos()); i++) {
                ofOne.send(Ask.get("/"));
                ofTwo.send(Ask.get("/"));
                passed += (int) ofOne.statuses().stream()
                        .filter(status -> status == 200)
                        .count();
                passed += (int) ofTwo.statuses().stream()
                        .filter(status -> status == 200)
                        .count();
            }
            assertThat(passed).isBetween(100, 100 + 2 * CREDIT);
            assertThat(upstream.requestCount()).isEqualTo(passed);
            Await.until(
                    "nothing is under way",
                    () -> redis.ask("KEYS sigma:limit:{api:*").equals("*1"));
        }
    }

    /** Who has booked more has more, through both; what is said of a plan has a key of its own in Redis. */
    @Test
    void gatewaysShareThePlansOfConsumers() throws IOException {
        String hash = "sha256:f39dac6cbaba535e2c207cd0cd8f154974223c848f727f98b3564cea569b41cf";
        Map<String, Object> consumer =
                Map.of("id", "ada", "keys", List.of(hash), "fields", Map.of("X-Consumer-Plan", "gold"));
        List<Object> gold = List.of(Map.of("requests", 60, "per", "1h"));
        try (GatewayFixture one = planned(consumer, gold).start();
                GatewayFixture two = planned(consumer, gold).start();
                RawClient ofOne = one.connect();
                RawClient ofTwo = two.connect()) {
            String key = "GET / HTTP/1.1\r\nHost: a.example\r\nX-API-Key: abcdefghijklmnop\r\n\r\n";
            int passed = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < 60 || (passed < 60 && System.nanoTime() - begin < PATIENCE.toNanos()); i++) {
                for (RawClient client : List.of(ofOne, ofTwo)) {
                    RawResponse response = client.send(key).readResponse();
                    assertThat(response.header("RateLimit-Policy")).isEqualTo("\"1h\";q=60;w=3600");
                    passed += response.status() == 200 ? 1 : 0;
                }
            }
            assertThat(passed).isBetween(60, 60 + 2 * CREDIT);
            Await.until(
                    "it is there",
                    () -> redis.ask("KEYS sigma:limit:{api:gold:*").equals("*1"));
            assertThat(ask(ofOne).header("RateLimit-Policy")).as("nobody").isEqualTo("\"1h\";q=10;w=3600");
        }
    }

    private GatewayBuilder planned(Map<String, Object> consumer, List<Object> gold) {
        Map<String, Object> settings = Map.of(
                "limits",
                List.of(Map.of("requests", 10, "per", "1h")),
                "plans",
                List.of(Map.of("id", "gold", "limits", gold)),
                "by",
                "consumer",
                "shared",
                Map.of("redis-id", "limits", "name", "api", "credit", CREDIT));
        return GatewayFixture.to(upstream)
                .redis(redis.config("limits"))
                .workers(2)
                .route(
                        "/*",
                        GatewayFixture.plugin("key-auth", Map.of("consumers", List.of(consumer), "optional", true)),
                        GatewayFixture.plugin("rate-limit", settings));
    }

    /** What one had taken, and doesn't need any more, is there for the other. */
    @Test
    void aGatewayThatEndsGivesBack() throws IOException {
        int passed;
        try (GatewayFixture first = sharing(100).start();
                RawClient client = first.connect()) {
            passed = passed(client, 23);
        }
        try (GatewayFixture second = sharing(100).start();
                RawClient client = second.connect()) {
            passed += passed(client, 100, 100 - passed);
        }
        assertThat(passed).isBetween(100, 100 + 2 * CREDIT);
    }

    /** Two gateways that don't know that nothing is left, and that Redis doesn't tell: they give their credits, and not one more. */
    @Test
    void coldGatewaysGiveTheirCreditsExactly() throws IOException {
        try (GatewayFixture first = sharing(20).start();
                RawClient client = first.connect()) {
            int passed = passed(client, 60, 20);
            assertThat(passed).isBetween(20, 20 + CREDIT);
        }
        Duration patience = Duration.ofSeconds(9);
        try (GatewayFixture one = sharing(20, Map.of(), patience).start();
                GatewayFixture two = sharing(20, Map.of(), patience).start();
                RawClient ofOne = one.connect();
                RawClient ofTwo = two.connect()) {
            Await.until("both are connected", () -> connections(one) + connections(two) == 2);
            redis.stall();
            assertThat(passed(ofOne, 30)).isEqualTo(CREDIT);
            assertThat(passed(ofTwo, 30)).isEqualTo(CREDIT);
            redis.goOn();
            assertThat(passed(ofOne, 30)).isZero();
            assertThat(passed(ofTwo, 30)).isZero();
        }
    }

    private static long connections(GatewayFixture gateway) {
        return gateway.redis().read().getFirst().connectionsCount();
    }

    /** Killed: the next requests are decided as the settings say, and none waits. Another Redis that knows nothing begins anew. */
    @ParameterizedTest
    @CsvSource({"local, 20, 429", "pass, 60, 200", "refuse, 0, 503"})
    void aLostRedisIsADecisionOfTheSettings(String then, int more, int status) throws IOException {
        try (GatewayFixture one = sharing(20, Map.of("on-failure", then), Duration.ofMillis(200))
                        .start();
                RawClient client = one.connect()) {
            assertThat(ask(client).status()).isEqualTo(200);
            Await.until("the connection", () -> connections(one) == 1);
            redis.kill();
            Await.until("no connection", () -> connections(one) == 0);
            // The first one that asks finds it out.
            Await.until("it is known", () -> {
                try {
                    RawResponse response = ask(client);
                    return one.pluginCount("rate-limit", "decided_without_redis") > 0 || response.status() == 503;
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            int before = (int) one.pluginCount("rate-limit", "decided_without_redis");
            int passed = 0;
            RawResponse last = ask(client);
            passed += last.status() == 200 ? 1 : 0;
            for (int i = 1; i < 60; i++) {
                last = ask(client);
                passed += last.status() == 200 ? 1 : 0;
            }
            // What passed before it was lost counts on.
            boolean counts = more == 20;
            assertThat(passed).isBetween(counts ? 17 - CREDIT - before : more, counts ? 19 - before : more);
            assertThat(last.status()).isEqualTo(status);
            redis.startAgain();
            Await.until("it is shared again", () -> {
                try {
                    ask(client);
                    return redis.ask("KEYS sigma:limit:{api:*").equals("*1");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    /** It hangs: what was got goes on, what isn't known is decided, and the time of no request shows it. */
    @Test
    void aRedisThatHangsHoldsNobodyUp() throws IOException {
        try (GatewayFixture one = sharing(1000, Map.of("on-failure", "local"), Duration.ofMillis(200))
                        .start();
                RawClient client = one.connect()) {
            passed(client, 50);
            redis.stall();
            assertThat(passed(client, 500)).isPositive();
            Await.until("it is given up", () -> connections(one) == 0);
            passed(client, 100);
            assertThat(one.pluginCount("rate-limit", "decided_without_redis")).isPositive();
            redis.goOn();
            Await.until("it is there again", () -> connections(one) == 1);
            long decided = one.pluginCount("rate-limit", "decided_without_redis");
            Await.until("it is asked again", () -> sharesAgain(one, client, decided));
        }
    }

    private static boolean sharesAgain(GatewayFixture gateway, RawClient client, long decided) {
        try {
            long before = gateway.pluginCount("rate-limit", "decided_without_redis");
            ask(client);
            return before >= decided && gateway.pluginCount("rate-limit", "decided_without_redis") == before;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A reload that says nothing else of Redis leaves the connection alone, whatever becomes of limits; one without the plugin ends it. */
    @Test
    void aReloadKeepsTheConnection() throws Exception {
        PluginCatalog catalog = new PluginCatalog(getClass().getClassLoader());
        int port = FreePorts.one();
        try (GatewayFixture one = sharing(20).port(port).plugins(catalog).start();
                RawClient client = one.connect()) {
            passed(client, 3);
            List<String> before = clients();
            assertThat(before).hasSize(1);
            for (int requests : new int[] {20, 30}) {
                SigmaConfig next = sharing(requests).port(port).config();
                one.gateway().reload(there -> new Gateway.Next(SnapshotCompiler.compile(next, catalog, there)));
                passed(client, 3);
                assertThat(clients()).isEqualTo(before);
            }
            SigmaConfig without =
                    GatewayFixture.to(upstream).port(port).workers(2).config();
            one.gateway().reload(there -> new Gateway.Next(SnapshotCompiler.compile(without, catalog, there)));
            assertThat(ask(client).status()).isEqualTo(200);
            Await.until("the connection ends", () -> clients().isEmpty());
        }
    }

    /** The ids of connections that scripts came by. */
    private List<String> clients() {
        return redis.all("CLIENT LIST")
                .lines()
                .filter(line -> line.contains(" cmd=eval"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    /** Of the whole limit, not of what this gateway has got. */
    @Test
    void clientsAreToldWhatIsLeftOfAll() throws IOException {
        try (GatewayFixture one = sharing(100).start();
                GatewayFixture two = sharing(100).start();
                RawClient ofOne = one.connect();
                RawClient ofTwo = two.connect()) {
            for (int i = 0; i < 10; i++) {
                ask(ofOne);
            }
            ask(ofTwo);
            Await.until("it knows of the other one", () -> {
                try {
                    String left = ask(ofTwo).header("RateLimit");
                    int count = Integer.parseInt(String.valueOf(left).replaceAll("^\"1h\";r=([0-9]+);t=.*$", "$1"));
                    return count <= 88 && count >= 50;
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }
}
