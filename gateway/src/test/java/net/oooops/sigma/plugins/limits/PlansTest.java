package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that differ by what consumers have booked. */
class PlansTest {
    private static final Consumer GOLD = consumer("ann", "gold");
    private static final Consumer SILVER = consumer("bob", "silver");

    private final TestContext context = new TestContext();

    private static Consumer consumer(String id, String plan) {
        return Consumer.of(id, Field.of("x-consumer-plan", plan), Field.of("X-Consumer-Team", "a"));
    }

    private static List<Object> hourly(int requests) {
        return List.of(Map.of("requests", requests, "per", "1h"));
    }

    private static Map<String, Object> plan(String id, int requests) {
        return Map.of("id", id, "limits", hourly(requests));
    }

    private Plugin limit(Object by, Map<String, Object> more, List<Object> plans) {
        Map<String, Object> settings = new HashMap<>(Map.of("limits", hourly(1), "plans", plans, "by", by));
        settings.putAll(more);
        return new RateLimitFactory().create(Settings.of(settings), context);
    }

    private Plugin limit(int gold, int silver) {
        return limit("consumer", Map.of(), List.of(plan("gold", gold), plan("silver", silver)));
    }

    private static TestExchange get() {
        return TestExchange.of("GET", "/");
    }

    private static int passed(Plugin limit, Consumer consumer, int tries) throws Exception {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += limit.onRequest(get().withConsumer(consumer)) == Outcome.CONTINUE ? 1 : 0;
        }
        return passed;
    }

    @Test
    void eachConsumerHasWhatItHasBooked() throws Exception {
        Plugin limit = limit(5, 3);
        assertThat(passed(limit, GOLD, 9)).isEqualTo(5);
        assertThat(passed(limit, consumer("another", "gold"), 9)).isEqualTo(5);
        assertThat(passed(limit, SILVER, 9)).isEqualTo(3);
        assertThat(passed(limit, consumer("cleo", "bronze"), 9))
                .as("no such plan")
                .isEqualTo(1);
        assertThat(passed(limit, Consumer.of("dan"), 9)).as("no plan").isEqualTo(1);
        assertThat(limit.onRequest(get())).as("nobody").isEqualTo(Outcome.CONTINUE);
        assertThat(limit.onRequest(get())).isNotEqualTo(Outcome.CONTINUE);
    }

    /** Also where a plugin behind it has found another consumer since. */
    @Test
    void clientsAreToldTheLimitThatHeld() throws Exception {
        PluginHarness plugin = PluginHarness.of(limit(5, 3));
        TestExchange gold = get().withConsumer(GOLD);
        plugin.request(gold);
        gold.withConsumer(SILVER);
        plugin.response(gold, 200);
        assertThat(gold.response().lines())
                .contains("RateLimit-Policy: \"1h\";q=5;w=3600")
                .anyMatch(line -> line.startsWith("RateLimit: \"1h\";r=4;"));
        TestExchange other = get().withConsumer(Consumer.of("dan"));
        plugin.request(other);
        plugin.response(other, 200);
        assertThat(other.response().lines()).contains("RateLimit-Policy: \"1h\";q=1;w=3600");
    }

    @Test
    void whatIsCountedTogetherIsOfOnePlan() throws Exception {
        Plugin limit = limit("route", Map.of(), List.of(plan("gold", 5)));
        assertThat(passed(limit, SILVER, 9)).isEqualTo(1);
        assertThat(passed(limit, GOLD, 3)).isEqualTo(3);
        assertThat(passed(limit, consumer("another", "gold"), 9)).isEqualTo(2);
    }

    @Test
    void aReloadThatChangesOnePlanKnowsWhoHasAsked() throws Exception {
        Plugin before = limit(5, 3);
        assertThat(passed(before, GOLD, 9)).isEqualTo(5);
        assertThat(passed(before, SILVER, 2)).isEqualTo(2);
        assertThat(passed(before, Consumer.of("dan"), 9)).isEqualTo(1);
        Plugin after = limit("consumer", Map.of(), List.of(plan("new", 2), plan("silver", 3), plan("gold", 7)));
        after.takeOver(before);
        assertThat(passed(after, GOLD, 9)).isEqualTo(2);
        assertThat(passed(after, SILVER, 9)).isEqualTo(1);
        assertThat(passed(after, Consumer.of("dan"), 9)).isZero();
        assertThat(passed(after, consumer("eve", "new"), 9)).isEqualTo(2);
        assertThat(((RateLimit) after).keysCount()).isEqualTo(4);
    }

    /** Each plan has what it has in Redis, too; one gateway knows what the other has given. */
    @Test
    void gatewaysShareEachPlan() throws Exception {
        RedisOfTest redis = new RedisOfTest(System::nanoTime);
        List<RedisOfTest.Line> lines = List.of(redis.line(), redis.line());
        Map<String, Object> shared = Map.of("shared", Map.of("redis-id", "r", "name", "n"));
        int gold = 0;
        int rest = 0;
        List<Plugin> gateways = lines.stream()
                .map(line -> {
                    context.with(line);
                    return limit("route", shared, List.of(plan("gold", 20)));
                })
                .toList();
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 2; j++) {
                gold += passed(gateways.get(j), GOLD, 1);
                rest += passed(gateways.get(j), SILVER, 1);
                lines.get(j).settle();
            }
        }
        assertThat(gold).as("with two tokens of credit each").isBetween(20, 24);
        assertThat(rest).isBetween(1, 3);

        Plugin next = limit("route", shared, List.of(plan("gold", 20), plan("silver", 10)));
        next.takeOver(gateways.getLast());
        gateways.getLast().close();
        assertThat(passed(next, GOLD, 9)).isZero();
        assertThat(passed(next, SILVER, 1)).isEqualTo(1);
        next.close();
    }

    @Test
    void asManyAtOnceAsAreBooked() throws Exception {
        Plugin before = rooms(3);
        TestExchange first = get().withConsumer(GOLD);
        assertThat(before.onRequest(first)).isEqualTo(Outcome.CONTINUE);
        assertThat(passed(before, GOLD, 9)).isEqualTo(2);
        assertThat(passed(before, SILVER, 9)).isEqualTo(1);
        assertThat(context.count("in_flight")).isEqualTo(4);
        Plugin after = rooms(4);
        after.takeOver(before);
        assertThat(passed(after, GOLD, 9)).isEqualTo(1);
        assertThat(passed(after, SILVER, 9)).isZero();
        before.onEnd(first);
        assertThat(passed(after, GOLD, 9)).isEqualTo(1);
        assertThat(((ConcurrencyLimit) after).count()).isEqualTo(5);
        assertThat(((ConcurrencyLimit) after).keysCount()).isEqualTo(2);
    }

    private Plugin rooms(int gold) {
        Map<String, Object> settings =
                Map.of("max", 1, "plans", List.of(Map.of("id", "gold", "max", gold)), "by", "consumer");
        return new ConcurrencyLimitFactory().create(Settings.of(settings), context);
    }

    @ParameterizedTest
    @CsvSource({
        "gold, 5, 1, /plans/1/id: \"gold\" (expected: an id that no other plan has)",
        "silver, 1, 2, '/plans/0/limits/0/requests: 1 (expected: at least 2, the cost of a request)'"
    })
    void plansThatCannotBeAreRefused(String other, int requests, int cost, String message) {
        Map<String, Object> settings = Map.of("limits", hourly(9), "cost", cost);
        List<Object> plans = List.of(plan("gold", requests), plan(other, 5));
        assertThatThrownBy(() -> limit("consumer", settings, plans))
                .isInstanceOf(SettingsException.class)
                .hasMessage(message);
    }
}
