package net.oooops.sigma.plugins.faultinjection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultInjectionTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n";

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
    private final TestContext context = new TestContext();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(Map<String, ?> settings) {
        return GatewayFixture.to(node).plugin("fault-injection", settings).start();
    }

    private Plugin plugin(Map<String, ?> settings) {
        return new FaultInjectionFactory().create(Settings.of(settings), context);
    }

    @Test
    void whatIsDelayedHoldsNobodyElseUp() throws IOException {
        Map<String, Object> settings =
                Map.of("delay", Map.of("min", "2s"), "header", Map.of("name", "X-Slow", "exact", "1"));
        try (GatewayFixture gateway = gateway(settings)) {
            long start = System.nanoTime();
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                slow.add(gateway.connect().send(GET + "X-Slow: 1\r\n\r\n"));
            }
            Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 20);
            try (RawClient other = gateway.connect()) {
                assertThat(other.send(GET + "X-Slow: 2\r\n\r\n").readResponse().status())
                        .isEqualTo(200);
                assertThat(other.send(GET + "\r\n").readResponse().status()).isEqualTo(200);
            }
            for (RawClient client : slow) {
                assertThat(client.readResponse().bodyText()).isEqualTo("yes");
                client.close();
            }
            assertThat(System.nanoTime() - start).isGreaterThan(2_000_000_000L);
            assertThat(node.requestCount()).isEqualTo(22);
        }
    }

    @Test
    void aClientThatGoesAwayMeanwhileReachesNoNode() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("delay", Map.of("min", "2s")))) {
            try (RawClient client = gateway.connect()) {
                client.send(GET + "\r\n");
                Await.until("it waits", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 1);
                client.reset();
            }
            Await.until("it is gone", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(GET + "\r\n").readResponse().status()).isEqualTo(200);
            }
            assertThat(node.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void noMoreThanSoManyWait() throws Exception {
        Plugin plugin = plugin(Map.of("delay", Map.of("min", "1s", "max", "1001ms", "max-delayed", 3)));
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            outcomes.add(plugin.onRequest(TestExchange.of("GET", "/")));
        }
        assertThat(outcomes.subList(0, 3)).allMatch(outcome -> outcome instanceof Outcome.Suspend);
        assertThat(outcomes.subList(3, 10)).containsOnly(Outcome.CONTINUE);
        assertThat(context.count("delayed")).isEqualTo(3);
        assertThat(context.count("undelayed")).isEqualTo(7);
        Await.until("places are free again", () -> {
            try {
                return plugin.onRequest(TestExchange.of("GET", "/")) instanceof Outcome.Suspend;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void whatFailsReachesNoNode() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("abort", Map.of("status", 504)));
                RawClient client = gateway.connect()) {
            for (String method : List.of("GET", "HEAD", "POST")) {
                client.send(method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
                RawResponse response = client.readResponse(method);
                assertThat(response.status()).isEqualTo(504);
                assertThat(response.headers().values("Cache-Control")).containsExactly("no-store");
            }
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void whatIsBothFailsAfterTheDelay() throws Exception {
        Plugin plugin = plugin(Map.of("abort", Map.of(), "delay", Map.of("min", "20ms")));
        TestExchange exchange = TestExchange.of("GET", "/");
        long start = System.nanoTime();
        PluginHarness.of(plugin).request(exchange);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000L);
        assertThat(exchange.response().status()).isEqualTo(503);
        assertThat(context.count("abort")).isEqualTo(1);
    }

    /** What would fail after a delay of a minute is answered by its node at once. */
    @Test
    void inShadowNothingIsDelayed() throws Exception {
        Map<String, Object> settings =
                Map.of("mode", "shadow", "delay", Map.of("min", "1m"), "abort", Map.of("status", 504));
        Path log = dir.resolve("access.log");
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("fault-injection", settings)
                        .accessLog(log)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(GET + "\r\n").readResponse().bodyText()).isEqualTo("yes");
            Await.until("told", () -> gateway.counters().shadows().size() == 2);
            assertThat(gateway.counters().shadows())
                    .containsExactly(
                            new Counters.Shadow("fault-injection", "answer", 504, "abort", 1),
                            new Counters.Shadow("fault-injection", "effect", 0, "delay", 1));
            gateway.drain(Duration.ofSeconds(5));
        }
        assertThat(Files.readString(log))
                .contains("shadow: fault-injection: delay; shadow: fault-injection: 504 abort");
    }

    /** Of 10,000 with 20 percent, 2,000 give or take five standard deviations. */
    @Test
    void aPartOfThemFails() throws Exception {
        Plugin plugin = plugin(Map.of("abort", Map.of("percent", 20)));
        int failed = 0;
        for (int i = 0; i < 10_000; i++) {
            failed += plugin.onRequest(TestExchange.of("GET", "/")) == Outcome.CONTINUE ? 0 : 1;
        }
        assertThat(failed).isBetween(1_800, 2_200);
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("delay", Map.of("min", "2s", "max", "1s")), "/delay/max");
        assertProblem(Map.of("delay", Map.of("min", "6m")), "/delay/min");
        assertProblem(Map.of("delay", Map.of("max", "1s")), "/delay/min");
        assertProblem(Map.of("delay", Map.of("min", "1s", "percent", 101)), "/delay/percent");
        assertProblem(Map.of("delay", Map.of("min", "1s", "max-delayed", 0)), "/delay/max-delayed");
        assertProblem(Map.of("abort", Map.of("status", 200)), "/abort/status");
        assertProblem(Map.of("abort", Map.of(), "header", Map.of("name", "a b")), "/header/name");
    }

    private void assertProblem(Map<String, ?> settings, String pointer) {
        assertThatThrownBy(() -> plugin(settings))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer));
    }
}
