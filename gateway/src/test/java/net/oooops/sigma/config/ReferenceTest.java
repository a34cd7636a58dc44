package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import net.oooops.sigma.api.PluginFactory;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/sigma-json.md} is what the schema, with those of the built-in plugins in it, says. To write it anew: {@code mvn
 * -q -pl gateway -am test -Dtest=ReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Dreference.write=true}.
 */
class ReferenceTest {

    private static final Path FILE = TestFiles.checkout().resolve("docs/reference/sigma-json.md");

    @Test
    void theCommittedReferenceIsUpToDate() throws IOException {
        Map<String, String> schemas = new TreeMap<>();
        for (PluginFactory factory : ServiceLoader.load(PluginFactory.class)) {
            if (factory.getClass().getPackageName().startsWith("net.oooops.sigma.plugins.")) {
                schemas.put(factory.name(), factory.schema());
            }
        }
        String reference = new ReferenceWriter(new ConfigSchema(schemas)).write();
        if (Boolean.getBoolean("reference.write")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, reference);
        }
        assertThat(Files.readString(FILE))
                .as("docs/reference/sigma-json.md: see %s for how to write it anew", ReferenceTest.class.getName())
                .isEqualTo(reference);
    }
}
