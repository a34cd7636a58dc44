package net.oooops.sigma.plugins.csp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CspTest {
    private static Map<String, String> directive(String name, String value) {
        return Map.of("name", name, "value", value);
    }

    @Test
    void writesTheDirectivesInTheirOrder() throws Exception {
        Object settings = Map.of(
                "directive",
                List.of(
                        directive("default-src", "'self'"),
                        directive("img-src", " https://a.example data: "),
                        Map.of("name", "upgrade-insecure-requests")));
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new CspFactory(), settings).response(exchange, 200, "content-security-policy: default-src *");

        assertThat(exchange.response().lines())
                .containsExactly("Content-Security-Policy: default-src 'self'; img-src https://a.example data:; "
                        + "upgrade-insecure-requests");
    }

    @Test
    void canOnlyReport() throws Exception {
        Object settings = Map.of("report-only", true, "directive", List.of(directive("script-src", "'none'")));
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new CspFactory(), settings).response(exchange, 200);

        assertThat(exchange.response().lines())
                .containsExactly("Content-Security-Policy-Report-Only: script-src 'none'");
    }

    @Test
    void theSpellingsOf010MeanWhatTheyMeant() throws Exception {
        Object settings = Map.of("reportOnly", true, "directive", List.of(directive("default-src", "self")));
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new CspFactory(), settings).response(exchange, 200);
        assertThat(exchange.response().lines())
                .containsExactly("Content-Security-Policy-Report-Only: default-src 'self'");

        Object both =
                Map.of("reportOnly", true, "report-only", false, "directive", List.of(directive("default-src", "*")));
        assertThatThrownBy(() -> new CspFactory().create(Settings.of(both), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/reportOnly: true (expected: what \"report-only\" says, or that one alone)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "default-source            | 'self'         | name  | one of [",
                "default-src               | a; img-src b   | value | without ; and ,",
                "default-src               | a, b           | value | without ; and ,",
                "default-src               | ä              | value | visible ASCII",
                "default-src               | https://a self | value | 'self' in single quotes",
                "script-src                | nonce-abc      | value | 'nonce-abc' in single quotes",
                "upgrade-insecure-requests | 1              | value | no value with upgrade-insecure-requests"
            },
            quoteCharacter = '"')
    void problemsNameTheirPlace(String name, String value, String key, String message) {
        Object settings = Map.of("directive", List.of(directive("img-src", "*"), directive(name, value)));

        assertThatThrownBy(() -> new CspFactory().create(Settings.of(settings), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/directive/1/" + key))
                .hasMessageContaining(message);
    }

    @Test
    void refusesDirectivesTwiceAndPoliciesWithoutAny() {
        Object twice = Map.of("directive", List.of(directive("img-src", "*"), directive("img-src", "'self'")));

        assertThatThrownBy(() -> new CspFactory().create(Settings.of(twice), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/directive/1/name: \"img-src\" (expected: each directive once");
        assertThatThrownBy(() -> new CspFactory().create(Settings.of(Map.of()), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("at least one directive");
    }
}
