package net.oooops.sigma.plugins.cors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorsTest {
    private static final String VARY_PREFLIGHT =
            "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    private static final Map<String, Object> NAMED = Map.of(
            "allow-origins", List.of("https://a.example", "https://*.b.example:8443", "null"),
            "allow-methods", List.of("GET", "PUT"),
            "allow-headers", List.of("X-A", "Content-Type"),
            "expose-headers", List.of("X-B"),
            "max-age", 60,
            "allow-credentials", true);

    private static PluginHarness harness(Map<String, ?> settings) {
        return PluginHarness.of(new CorsFactory(), settings);
    }

    private static TestExchange preflight(Map<String, ?> settings, String origin) throws Exception {
        TestExchange exchange =
                TestExchange.of("OPTIONS", "/a", "Origin: " + origin, "Access-Control-Request-Method: PUT", "Host: x");
        PluginHarness harness = harness(settings);
        assertThat(harness.request(exchange)).isInstanceOf(Outcome.Respond.class);
        harness.response(exchange);
        return exchange;
    }

    private static List<String> actual(Map<String, ?> settings, String origin, String... answer) throws Exception {
        TestExchange exchange = origin.isEmpty()
                ? TestExchange.of("GET", "/a", "Host: x")
                : TestExchange.of("GET", "/a", "Host: x", "Origin: " + origin);
        PluginHarness harness = harness(settings);
        assertThat(harness.request(exchange)).isSameAs(Outcome.CONTINUE);
        harness.response(exchange, 200, answer);
        return exchange.response().lines();
    }

    @Test
    void answersAPreflightOfAnAllowedOrigin() throws Exception {
        TestExchange exchange = preflight(NAMED, "https://a.example");

        assertThat(exchange.response().status()).isEqualTo(204);
        assertThat(exchange.response().lines())
                .containsExactly(
                        "Access-Control-Allow-Origin: https://a.example",
                        "Access-Control-Allow-Credentials: true",
                        "Access-Control-Allow-Methods: GET, PUT",
                        "Access-Control-Allow-Headers: X-A, Content-Type",
                        "Access-Control-Max-Age: 60",
                        VARY_PREFLIGHT);
    }

    @Test
    void answersAPreflightOfAnotherOriginWithoutLeave() throws Exception {
        TestExchange exchange = preflight(NAMED, "https://evil.example");

        assertThat(exchange.response().status()).isEqualTo(204);
        assertThat(exchange.response().lines()).containsExactly(VARY_PREFLIGHT);
    }

    @Test
    void onlyARefusedPreflightIsARefusal() throws Exception {
        TestContext context = new TestContext();
        PluginHarness harness = PluginHarness.of(new CorsFactory().create(Settings.of(NAMED), context));
        for (String origin : List.of("https://a.example", "https://evil.example", "https://evil.example")) {
            harness.request(TestExchange.of(
                    "OPTIONS", "/a", "Origin: " + origin, "Access-Control-Request-Method: PUT", "Host: x"));
        }
        harness.request(TestExchange.of("GET", "/a", "Origin: https://evil.example", "Host: x"));
        assertThat(context.count("origin")).isEqualTo(2);
    }

    @Test
    void allOriginsMayBeAllowedWithDefaults() throws Exception {
        TestExchange exchange = preflight(Map.of("allow-origins", "*", "allow-headers", "*"), "https://c.example");

        assertThat(exchange.response().lines())
                .containsExactly(
                        "Access-Control-Allow-Origin: *",
                        "Access-Control-Allow-Methods: GET, HEAD, POST",
                        "Access-Control-Allow-Headers: *",
                        "Access-Control-Max-Age: 600",
                        VARY_PREFLIGHT);
    }

    @Test
    void optionsWithoutARequestedMethodIsNoPreflight() throws Exception {
        TestExchange exchange = TestExchange.of("OPTIONS", "/a", "Origin: https://a.example");

        assertThat(harness(NAMED).request(exchange)).isSameAs(Outcome.CONTINUE);
        assertThat(exchange.hasResponse()).isFalse();
    }

    @Test
    void otherResponsesGetTheFields() throws Exception {
        assertThat(actual(NAMED, "https://a.example", "Content-Type: text/plain"))
                .containsExactly(
                        "Content-Type: text/plain",
                        "Access-Control-Allow-Origin: https://a.example",
                        "Access-Control-Allow-Credentials: true",
                        "Access-Control-Expose-Headers: X-B",
                        "Vary: Origin");
    }

    @Test
    void theServersOwnPolicyIsReplaced() throws Exception {
        assertThat(actual(NAMED, "https://evil.example", "Access-Control-Allow-Origin: *"))
                .containsExactly("Vary: Origin");
        assertThat(actual(NAMED, "https://a.example", "access-control-allow-origin: https://x.example", "Vary: A"))
                .containsExactly(
                        "Vary: A",
                        "Access-Control-Allow-Origin: https://a.example",
                        "Access-Control-Allow-Credentials: true",
                        "Access-Control-Expose-Headers: X-B",
                        "Vary: Origin");
    }

    @Test
    void varyIsAddedOnceAndWithoutAnOriginToo() throws Exception {
        assertThat(actual(NAMED, "")).containsExactly("Vary: Origin");
        assertThat(actual(NAMED, "", "Vary: Accept, origin")).containsExactly("Vary: Accept, origin");
        assertThat(actual(NAMED, "", "Vary: *")).containsExactly("Vary: *");
        assertThat(actual(NAMED, "", "Vary: X-Origin")).containsExactly("Vary: X-Origin", "Vary: Origin");
    }

    @Test
    void anAnswerThatIsTheSameForAllDoesNotVary() throws Exception {
        Map<String, Object> any = Map.of("allow-origins", List.of("*"));

        assertThat(actual(any, "https://c.example")).containsExactly("Access-Control-Allow-Origin: *");
        assertThat(actual(any, "")).containsExactly("Access-Control-Allow-Origin: *");
    }

    @Test
    void theDecisionIsThatOfTheRequestAsItCame() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/a", "Origin: https://a.example");
        PluginHarness harness = harness(NAMED);
        harness.request(exchange);
        exchange.request().set(Field.of(FieldName.of("Origin"), "https://evil.example"));
        harness.response(exchange, 200);

        assertThat(exchange.response().lines()).contains("Access-Control-Allow-Origin: https://a.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://x.b.example:8443", "https://x.y-1.b.example:8443", "null", "https://a.example"})
    void allows(String origin) throws Exception {
        assertThat(actual(NAMED, origin)).contains("Access-Control-Allow-Origin: " + origin);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://b.example:8443",
                "https://x.b.example",
                "http://x.b.example:8443",
                "https://xb.example:8443",
                "https://evil.example/.b.example:8443",
                "https://evil.example#.b.example:8443",
                "https://u@x.b.example:8443",
                "https://.b.example:8443",
                "https://a.example.evil.example",
                "https://a.example:443",
                "https://A.example",
                "a.example",
                "*"
            })
    void doesNotAllow(String origin) throws Exception {
        assertThat(actual(NAMED, origin)).containsExactly("Vary: Origin");
    }

    @Test
    void severalOriginsAtOnceAreNone() throws Exception {
        TestExchange exchange =
                TestExchange.of("GET", "/a", "Origin: https://a.example", "Origin: https://evil.example");
        PluginHarness harness = harness(NAMED);
        harness.request(exchange);
        harness.response(exchange, 200);

        assertThat(exchange.response().lines()).containsExactly("Vary: Origin");
    }

    @Test
    void anyAndCredentialsDoNotGoTogether() {
        for (String key : List.of("allow-origins", "allow-methods", "allow-headers", "expose-headers")) {
            Map<String, Object> settings = key.equals("allow-origins")
                    ? Map.of(key, "*", "allow-credentials", true)
                    : Map.of("allow-origins", List.of("null"), key, List.of("*"), "allow-credentials", true);
            assertProblem(settings, "/" + key, "browsers don't take * with credentials");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://A.example",
                "https://a.example/",
                "https://a.example:443",
                "http://a.example:80",
                "a.example",
                "*.a.example",
                "https://*",
                "https://*a.example",
                "https://a.*.example",
                "https://.a.example",
                "https://a..example",
                "https://a.example:0",
                "*",
                ""
            })
    void refusesWhatNoBrowserSends(String origin) {
        assertProblem(
                Map.of("allow-origins", List.of("https://a.example", origin)),
                "/allow-origins/1",
                "an origin as browsers send it");
    }

    @Test
    void problemsNameTheirPlace() {
        assertProblem(Map.of("allow-origins", "https://a.example"), "/allow-origins", "\"*\" or a list");
        assertProblem(Map.of("allow-origins", "*", "allow-methods", List.of("A B")), "/allow-methods/0", "a token");
        assertProblem(Map.of("allow-origins", "*", "allow-headers", List.of("A", "*")), "/allow-headers/1", "* alone");
        assertProblem(Map.of("allow-origins", "*", "max-age", -1), "/max-age", ">= 0 seconds");
    }

    private static void assertProblem(Map<String, ?> settings, String pointer, String message) {
        assertThatThrownBy(() -> new CorsFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message);
    }
}
