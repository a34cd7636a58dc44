package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What a native binary says of plugins in jars. */
@Isolated("a system property")
class PluginsOfBinaryTest {
    private static final Path PLUGINS = Path.of("/opt/plugins");

    @Test
    void aNativeBinaryTakesNone() {
        System.setProperty(Main.BINARY, "runtime");
        try {
            assertThatThrownBy(() -> PluginsFolder.catalog(PLUGINS, null))
                    .isInstanceOfSatisfying(
                            Failure.class, e -> assertThat(e.exitCode()).isEqualTo(Exit.USAGE))
                    .hasMessageContaining("--plugins " + PLUGINS + ": this is a native binary, which loads no jar");
            assertThatThrownBy(() -> PluginsFolder.catalog(null, PLUGINS.toString()))
                    .hasMessageContaining("SIGMA_PLUGINS " + PLUGINS + ": this is a native binary");
        } finally {
            System.clearProperty(Main.BINARY);
        }
    }
}
