package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsFileTest {
    @TempDir
    private Path folder;

    @Test
    void everyOtherKeyThatVertxWritesIsRefusedWithItsReason() throws Exception {
        JsonObject all = new VertxOptions().toJson();
        assertThat(all.size()).isGreaterThan(15);
        Path file = file(all.encode());

        assertThatExceptionOfType(Failure.class).isThrownBy(() -> read(file)).satisfies(failure -> {
            List<String> lines = failure.text().lines().toList();
            assertThat(lines).hasSize(all.size() - 1);
            for (String key : all.fieldNames()) {
                assertThat(lines)
                        .filteredOn(line -> line.contains(
                                " /" + key + ": a key without effect here (expected: only eventLoopPoolSize; "))
                        .hasSize(key.equals(OptionsFile.EVENT_LOOPS) ? 0 : 1);
            }
        });
    }

    @Test
    void theNumberOfEventLoopsIsNoticed() throws Exception {
        OptionsFile.Options options = read(file("{\"eventLoopPoolSize\": 3}"));

        assertThat(options.namesEventLoops()).isTrue();
        assertThat(options.options().getEventLoopPoolSize()).isEqualTo(3);
    }

    @Test
    void anEmptyFileIsAsNone() throws Exception {
        OptionsFile.Options options = read(file("{}"));

        assertThat(options.namesEventLoops()).isFalse();
        assertThat(options.options().toJson()).isEqualTo(read(null).options().toJson());
        assertThat(options.options().getFileSystemOptions().isFileCachingEnabled())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1025", "99999999999", "-1", "1.5", "\"2\"", "null", "[]"})
    void aNumberOfEventLoopsThatCanNotBeIsRefused(String value) throws Exception {
        Path file = file("{\"eventLoopPoolSize\": " + value + "}");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> read(file))
                .satisfies(failure -> assertThat(failure.text())
                        .contains(":1:23 /eventLoopPoolSize: ")
                        .contains("(expected: 1 to 1024)"));
    }

    @Test
    void aLongFileIsNotRead() throws Exception {
        Path file = file(" ".repeat((1 << 20) + 1));
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> read(file))
                .satisfies(failure ->
                        assertThat(failure.text()).contains("a longer file (expected: at most 1048576 bytes)"));
    }

    private static OptionsFile.Options read(@Nullable Path file) throws Failure {
        try (FilesOfStart reading = FilesOfStart.told("the test")) {
            return OptionsFile.of(file, OptionsFile.bytes(file, reading));
        }
    }

    private Path file(String json) throws IOException {
        return Files.writeString(folder.resolve("options.json"), json);
    }
}
