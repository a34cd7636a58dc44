package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;

/** What a problem says names the setting that is beyond its bound, and the bound. */
class RateBoundsTest {
    private static void assertProblem(Map<String, ?> limit, String pointer, String message) {
        Settings settings = Settings.of(Map.of("limits", List.of(limit)));
        assertThatThrownBy(() -> new RateLimitFactory().create(settings, new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((SettingsException) e).pointer())
                .isEqualTo("/limits/0/" + pointer);
    }

    @Test
    void timesThatCannotBeCounted() {
        assertProblem(Map.of("requests", 1, "per", "876000h"), "per", "at most 640511h for each request");
        assertProblem(Map.of("requests", 1, "per", "600000h", "burst", 3), "burst", "at most 1, for more");
    }
}
