package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pipe that nobody writes into, wherever sigma.json names a file: whoever opened it would wait for ever. */
@Timeout(30)
class PipeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    private Path pipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }

    private static String problems(ConfigResult result) {
        return ((ConfigResult.Invalid) result).text("f");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'include': 'pipe'",
                "'upstream': [{'id': 'u', 'nodes-file': 'pipe'}]",
                "'upstream': [{'id': 'u', 'nodes': ['http://a'], 'sticky': {'name': 'n', 'key-file': 'pipe'}}]",
                "'upstream': [{'id': 'u', 'nodes': ['http://a'], 'sticky': {'key': {'$file': 'pipe'}}}]",
                "'plugins': {'error-pages': {'404': {'content-type': 'text/plain', 'file': 'pipe'}}}"
            })
    void isNotRead(String named) throws Exception {
        pipe();
        byte[] json = ("{" + named + "}").replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        assertThat(problems(reader.read(json, folder)))
                .containsPattern("pipe.*(a pipe, a socket or a device|which is no file)");
    }

    @Test
    void isNoConfiguration() throws Exception {
        assertThat(problems(reader.read(pipe())))
                .contains("a pipe, a socket or a device (expected: a file that can be read)");
    }
}
