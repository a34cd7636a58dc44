package net.oooops.sigma.plugins.xframe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

class XFrameTest {
    @Test
    void setsTheFieldInThePlaceOfTheServersOwn() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new XFrameFactory(), "DENY")
                .response(exchange, 200, "x-frame-options: SAMEORIGIN", "Content-Type: text/html");

        assertThat(exchange.response().lines()).containsExactly("Content-Type: text/html", "X-Frame-Options: DENY");
    }

    @Test
    void anObjectSaysTheSame() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new XFrameFactory(), Map.of("value", "SAMEORIGIN")).response(exchange, 200);

        assertThat(exchange.response().lines()).containsExactly("X-Frame-Options: SAMEORIGIN");
        assertThatThrownBy(() -> new XFrameFactory().create(Settings.of(Map.of()), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/value");
    }

    @Test
    void noneIsAsWithoutIt() {
        Needs needs = new XFrameFactory()
                .create(Settings.of("NONE"), new TestContext())
                .needs();

        assertThat(needs).isEqualTo(new Needs(false, false, false, BodyNeed.NONE, BodyNeed.NONE, false));
    }

    @Test
    void refusesOtherValues() {
        assertThatThrownBy(() ->
                        new XFrameFactory().create(Settings.of("ALLOW-FROM https://a.example"), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("\"DENY\", \"SAMEORIGIN\" or \"NONE\"");
    }
}
