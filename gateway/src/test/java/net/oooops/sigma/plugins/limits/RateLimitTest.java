package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitTest {
    private static final Map<String, Object> TWO_AN_HOUR = Map.of("requests", 2, "per", "1h");

    private static TestExchange get() {
        return TestExchange.of("GET", "/");
    }

    private static RateLimit make(Map<String, Object> settings) {
        return (RateLimit) new RateLimitFactory().create(Settings.of(settings), new TestContext());
    }

    private static int passed(RateLimit limit, String address, int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += limit.onRequest(get().withAddresses(address, address)) == Outcome.CONTINUE ? 1 : 0;
        }
        return passed;
    }

    @Test
    void whoHasNoTokenIsToldWhenToComeAgain() throws Exception {
        PluginHarness plugin = PluginHarness.of(make(Map.of("limits", List.of(TWO_AN_HOUR), "fields", "off")));
        assertThat(plugin.request(get())).isEqualTo(Outcome.CONTINUE);
        assertThat(plugin.request(get())).isEqualTo(Outcome.CONTINUE);
        TestExchange refused = get();
        Outcome outcome = plugin.request(refused);
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Respond.class, respond -> {
            assertThat(respond.reason()).hasToString("test: too-many-requests");
        });
        assertThat(refused.response().status()).isEqualTo(429);
        assertThat(refused.response().lines())
                .containsExactly("Content-Type: text/plain; charset=utf-8", "Retry-After: 1800");
    }

    @Test
    void clientsAreToldWhatTheyHave() throws Exception {
        Map<String, Object> short1 = Map.of("requests", 5, "per", "500ms", "name", "burst");
        PluginHarness plugin = PluginHarness.of(
                make(Map.of("limits", List.of(TWO_AN_HOUR, short1), "legacy-fields", true, "status", 503)));
        TestExchange first = get();
        plugin.request(first);
        plugin.response(first, 200, "RateLimit: \"of-the-node\";r=7");
        assertThat(first.response().lines())
                .contains(
                        "RateLimit: \"of-the-node\";r=7",
                        "RateLimit-Policy: \"1h\";q=2;w=3600, \"burst\";q=5",
                        "X-RateLimit-Limit: 2",
                        "X-RateLimit-Remaining: 1",
                        "X-RateLimit-Reset: 1800")
                .anyMatch(line -> line.startsWith("RateLimit: \"1h\";r=1;t=1800, \"burst\";r="));
        plugin.request(get());
        TestExchange refused = get();
        plugin.request(refused);
        plugin.response(refused);
        assertThat(refused.response().status()).isEqualTo(503);
        assertThat(refused.response().lines())
                .contains("Retry-After: 1800", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 3600")
                .anyMatch(line -> line.startsWith("RateLimit: \"1h\";r=0;t=1800, \"burst\";r="));
    }

    @Test
    void theFieldsSayWhenTheNextTokenComes() {
        Rate rate = Rate.of("a", 10, Duration.ofSeconds(20), 10);
        Rate[] rates = {rate};
        Bucket bucket = Bucket.full(rates, 0);
        LimitFields fields = new LimitFields(rates, true, false);
        assertThat(fields.left(bucket, 0)).isEqualTo("\"a\";r=10");
        bucket.take(rates, 4, 0);
        assertThat(fields.left(bucket, 0)).isEqualTo("\"a\";r=6;t=2");
        assertThat(fields.left(bucket, TimeUnit.MILLISECONDS.toNanos(1500))).isEqualTo("\"a\";r=6;t=1");
        assertThat(fields.left(bucket, TimeUnit.SECONDS.toNanos(2))).isEqualTo("\"a\";r=7;t=2");
        assertThat(fields.left(bucket, TimeUnit.SECONDS.toNanos(8))).isEqualTo("\"a\";r=10");
    }

    @Test
    void aRequestTakesWhatItCosts() {
        RateLimit limit = make(Map.of("limits", List.of(Map.of("requests", 10, "per", "1h")), "cost", 3));
        assertThat(passed(limit, "192.0.2.1", 10)).isEqualTo(3);
        assertThat(passed(limit, "192.0.2.2", 10)).isEqualTo(3);
    }

    @Test
    void otherSettingsKnowWhoHasAsked() {
        RateLimit before = make(Map.of("limits", List.of(TWO_AN_HOUR)));
        assertThat(passed(before, "192.0.2.1", 5)).isEqualTo(2);
        RateLimit sameLimits = make(Map.of("limits", List.of(TWO_AN_HOUR), "fields", "off", "status", 503));
        sameLimits.takeOver(before);
        assertThat(passed(sameLimits, "192.0.2.1", 5)).isZero();
        assertThat(passed(sameLimits, "192.0.2.2", 1)).isEqualTo(1);
        assertThat(passed(before, "192.0.2.2", 5))
                .as("exchanges of the one before count")
                .isEqualTo(1);

        RateLimit more = make(Map.of("limits", List.of(Map.of("requests", 3, "per", "1h"))));
        more.takeOver(sameLimits);
        assertThat(passed(more, "192.0.2.1", 5)).isEqualTo(1);
        RateLimit others = make(Map.of("limits", List.of(TWO_AN_HOUR), "ipv6-prefix", 56));
        others.takeOver(more);
        assertThat(passed(others, "192.0.2.1", 5)).as("other keys").isEqualTo(2);
    }

    private static SharedRateLimit shared(RedisOfTest redis, int requests, int credit) {
        RedisOfTest.Line line = redis.line();
        line.lose(true);
        Map<String, Object> settings = Map.of(
                "limits", List.of(Map.of("requests", requests, "per", "1h")),
                "shared", Map.of("redis-id", "r", "name", "n", "credit", credit));
        return (SharedRateLimit) new RateLimitFactory().create(Settings.of(settings), new TestContext().with(line));
    }

    private static int passed(SharedRateLimit limit, int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += limit.onRequest(get()) == Outcome.CONTINUE ? 1 : 0;
        }
        return passed;
    }

    /** While Redis is lost each process limits by itself: those that have been let in aren't forgotten either. */
    @Test
    void whoHasAskedTooOftenIsKnownWhileRedisIsLost() {
        RedisOfTest redis = new RedisOfTest(System::nanoTime);
        SharedRateLimit before = shared(redis, 10, 1);
        assertThat(passed(before, 50)).as("that on credit counts, too").isEqualTo(10);
        SharedRateLimit same = shared(redis, 10, 1);
        same.takeOver(before);
        assertThat(passed(same, 50)).isZero();
        SharedRateLimit more = shared(redis, 12, 1);
        more.takeOver(same);
        assertThat(passed(more, 50)).as("one of them on credit").isEqualTo(3);
    }

    /** Each has a network of its own; the table stays as large as it may be, and who was there before is served. */
    @Test
    void addressesThatChangeFillNothing() {
        RateLimit limit = make(Map.of("limits", List.of(Map.of("requests", 10, "per", "1h")), "keys", 100));
        assertThat(passed(limit, "192.0.2.1", 5)).isEqualTo(5);
        int passed = 0;
        for (int i = 0; i < 5000; i++) {
            passed += passed(limit, "2001:db8:" + Integer.toHexString(i) + "::1", 1);
        }
        assertThat(passed).isEqualTo(99 + 10);
        assertThat(limit.keysCount()).isEqualTo(100);
        assertThat(passed(limit, "192.0.2.1", 20)).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/limits/0/requests | 1000000, 100ms, 1, 1, a",
                "/limits/0/burst | 1, 600000h, 1000000, 1, a",
                "/limits/0/burst | 10, 1s, 4, 5, a",
                "/limits/1/name | 10, 1s, 10, 1, 1s"
            })
    void limitsThatCannotBeAreRefused(String pointer, String numbers) {
        String[] of = numbers.strip().split(", ", -1);
        Map<String, Object> limit = Map.of(
                "requests", Integer.valueOf(of[0]), "per", of[1], "burst", Integer.valueOf(of[2]), "name", of[4]);
        Map<String, Object> settings =
                Map.of("limits", List.of(limit, Map.of("requests", 10, "per", "1s")), "cost", Integer.valueOf(of[3]));
        assertThatThrownBy(() -> make(settings))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith(pointer.strip() + ":");
    }
}
