package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.MeteredContext;
import net.oooops.sigma.plugin.PluginMeters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page with two metrics of one name is none: plugins get no name that Sigma itself has. */
class OwnMetricsTest {
    private static final String BEGIN = "sigma_plugin_";

    /** What of them a plugin's might be called, behind where all of those begin. */
    private static List<String> ends() {
        return Stream.concat(
                        Arrays.stream(Counter.values()).map(Sheet::name),
                        Arrays.stream(Metric.values()).map(Metric::metric))
                .filter(each -> each.startsWith(BEGIN))
                .map(each -> each.substring(BEGIN.length()))
                .filter(each -> each.contains("_"))
                .toList();
    }

    @Test
    void thereAreSome() {
        assertThat(ends()).contains("conditions_undecided", "timer_failures");
    }

    @ParameterizedTest
    @MethodSource("ends")
    void noPluginHasOneOfThem(String end) {
        for (int at = end.indexOf('_'); at >= 0; at = end.indexOf('_', at + 1)) {
            PluginContext context = MeteredContext.of(end.substring(0, at).replace('_', '-'), new PluginMeters());
            String name = end.substring(at + 1);
            assertThatThrownBy(() -> context.counter(name, "Test."))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "\"" + name + "\" (expected: another name, as " + BEGIN + end + " is one of Sigma's own)");
            assertThatThrownBy(() -> context.histogram(name, "Test.")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> context.gauge(name, "Test.")).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
