package net.oooops.sigma.plugins.hsts;

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

class HstsTest {
    private static List<String> lines(String scheme, Map<String, ?> settings, String... fields) throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/").withScheme(scheme);
        PluginHarness.of(new HstsFactory(), settings).response(exchange, 200, fields);
        return exchange.response().lines();
    }

    @Test
    void setsTheFieldOverHttps() throws Exception {
        assertThat(lines("https", Map.of())).containsExactly("Strict-Transport-Security: max-age=31536000");
        assertThat(lines("https", Map.of("max-age", 5, "include-sub-domains", true), "strict-transport-security: a"))
                .containsExactly("Strict-Transport-Security: max-age=5; includeSubDomains");
    }

    @Test
    void saysNothingOverHttp() throws Exception {
        assertThat(lines("http", Map.of())).isEmpty();
        assertThat(lines("http", Map.of(), "strict-transport-security: max-age=1", "X-Other: 1"))
                .as("nor does the node (RFC 6797 section 7.2)")
                .containsExactly("X-Other: 1");
    }

    @Test
    void refusesANegativeAge() {
        assertThatThrownBy(() -> new HstsFactory().create(Settings.of(Map.of("max-age", -1)), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessage("/max-age: -1 (expected: >= 0 seconds)");
    }
}
