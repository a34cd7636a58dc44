package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OptionsFileTest {
    @TempDir
    private Path folder;

    @Test
    void everyKeyThatVertxWritesIsKnown() throws Exception {
        JsonObject all = new VertxOptions().toJson();

        VertxOptions options = OptionsFile.read(file(all.encode())).options();

        assertThat(all.size()).isGreaterThan(15);
        assertThat(options.toJson()).isEqualTo(all);
    }

    @Test
    void valuesReachVertx() throws Exception {
        OptionsFile.Options options =
                OptionsFile.read(file("{\"workerPoolSize\": 3, \"warningExceptionTimeUnit\": \"MILLISECONDS\"}"));

        assertThat(options.options().getWorkerPoolSize()).isEqualTo(3);
        assertThat(options.options().getWarningExceptionTimeUnit()).isEqualTo(TimeUnit.MILLISECONDS);
        assertThat(options.namesEventLoops()).isFalse();
    }

    @Test
    void theNumberOfEventLoopsIsNoticed() throws Exception {
        OptionsFile.Options options = OptionsFile.read(file("{\"eventLoopPoolSize\": 3}"));

        assertThat(options.namesEventLoops()).isTrue();
        assertThat(options.options().getEventLoopPoolSize()).isEqualTo(3);
    }

    private Path file(String json) throws IOException {
        return Files.writeString(folder.resolve("options.json"), json);
    }
}
