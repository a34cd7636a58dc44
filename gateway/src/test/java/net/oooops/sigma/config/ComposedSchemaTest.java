package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ComposedSchemaTest {
    private static final byte[] WRONG = "{\"proxy-sever\": 1}".getBytes(StandardCharsets.UTF_8);

    private final ComposedSchema schema = new ComposedSchema(TestPlugins.schemas());

    @Test
    void isComposedOnce() {
        assertThat(schema.get()).isSameAs(schema.get());
    }

    @Test
    void whatOneReaderFindsIsNothingToTheNext() {
        String first = problems();

        assertThat(first).contains("proxy-sever");
        assertThat(problems()).isEqualTo(first);
    }

    @Test
    void severalThreadsReadByItAtOnce() throws Exception {
        String expected = problems();
        List<Callable<String>> readers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            readers.add(this::problems);
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (Future<String> each : threads.invokeAll(readers)) {
                assertThat(each.get()).isEqualTo(expected);
            }
        }
    }

    @Test
    void aPluginWhoseSchemaIsNoneIsNamed() {
        ComposedSchema bad = new ComposedSchema(Map.of("odd", "[]"));

        assertThat(bad.unusable())
                .containsExactly(
                        Map.entry("odd", "the schema of the plugin \"odd\": an array (expected: a schema object)"));
    }

    @Test
    void aNativeBinarySaysThatItLoadsNoJar() {
        ConfigSchema binary = new ConfigSchema(TestPlugins.schemas(), Map.of(), new ConfigSchema.Kind(false, true));
        Problems problems = new Problems();
        String text = "{\"proxy-server\": {\"http\": {\"id\": \"a\", \"port\": 1, \"plugin\": {\"mine\": {}}}}}";

        binary.check(Objects.requireNonNull(JsonReader.read(text, problems)), problems);

        assertThat(problems.sorted().getFirst().text("f"))
                .startsWith(
                        "f:1:61 /proxy-server/http/plugin/mine: unknown key \"mine\" (expected: one that this binary"
                                + " was built with, as it loads no jar: cors, csp, ");
    }

    private String problems() {
        ConfigResult result = new ConfigReader(schema, PluginTrial.NONE).read(WRONG, Path.of(""));
        return ((ConfigResult.Invalid) result).text("test");
    }
}
