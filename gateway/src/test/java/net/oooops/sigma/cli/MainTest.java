package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import net.oooops.sigma.config.Secrets;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.plugin.PluginCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final Shell shell = new Shell();

    @ParameterizedTest
    @ValueSource(strings = {"version", "--version", "-V"})
    void theVersionNamesAllThatMatters(String word) {
        assertThat(Main.execute(new String[] {word}, shell.console())).isZero();

        assertThat(shell.out())
                .matches("sigma 0\\.[0-9.]+ \\(JDK [0-9.]+, Netty 4\\.2\\.[0-9]+\\.Final, Vert\\.x 5\\.[0-9.]+\\)\\R");
    }

    @Test
    void theSchemaIsJsonWithAllPlugins() throws Exception {
        assertThat(Main.execute(new String[] {"schema"}, shell.console())).isZero();

        JsonNode schema = new ObjectMapper().readTree(shell.out());
        assertThat(schema.path("$schema").asText()).contains("2020-12");
        assertThat(schema.at("/$defs/plugin/properties").fieldNames())
                .toIterable()
                .containsAll(
                        new PluginCatalog(Main.class.getClassLoader()).schemas().keySet());
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void whatWasAskedForGoesToOutAndWhatWentWrongToErr() {
        assertThat(Main.execute(new String[] {"--help"}, shell.console())).isZero();
        assertThat(shell.out()).startsWith("Usage: sigma");
        assertThat(shell.err()).isEmpty();

        Shell other = new Shell();
        assertThat(Main.execute(new String[0], other.console())).isEqualTo(2);
        assertThat(other.out()).isEmpty();
        assertThat(other.err()).startsWith("Usage: sigma");
    }

    @Test
    void whatOtherProgramsCallItIsToldByItsNameHere() {
        Main.execute(new String[] {"check", "-c", "sigma.json"}, shell.console());
        assertThat(shell.err()).contains("-c: no option of sigma check (did you mean -conf?)");
        Shell other = new Shell();
        Main.execute(new String[] {"restart"}, other.console());
        assertThat(other.err()).contains("did you mean reload, upgrade, or \"systemctl restart\" of the unit?");
    }

    @Test
    void aFaultIsToldWithoutSecrets() {
        HiddenTexts.add(new Secrets(List.of("sesame of MainTest")));
        AssertionError fault = new AssertionError("no sesame of MainTest");

        assertThat(Main.fault(fault, shell.console())).isEqualTo(1);
        assertThat(shell.err())
                .startsWith("java.lang.AssertionError: no (secret)\n\tat net.oooops.sigma.cli.MainTest")
                .doesNotContain("sesame");
    }
}
