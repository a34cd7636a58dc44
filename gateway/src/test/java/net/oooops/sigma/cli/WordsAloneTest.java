package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the launcher asks before it makes a cache: nothing runs. */
class WordsAloneTest {
    private final Shell shell = new Shell();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sigma.json | sigma.json: no word of run's (expected: -conf sigma.json)",
                "-instance 0 | -instance: 0 (expected: 1 to 1024)",
                "-conf no-such.json | -conf no-such.json: no such file (expected: a file that can be read)",
                "--port 80 | --host, --port: without --to URL",
                "--to ftp://a | --to: ftp://a",
            })
    void wrongWordsAreTold(String typed, String told) {
        assertThat(check(typed.split(" "))).isEqualTo(Exit.USAGE);
        assertThat(shell.err()).startsWith(told).endsWith("Try: sigma run --help\n");
    }

    @Test
    void rightOnesAreNot(@TempDir Path folder) throws Exception {
        Path conf = Files.createFile(folder.resolve("sigma.json"));

        for (List<String> typed : List.of(
                List.<String>of(),
                List.of("-conf", conf.toString(), "-conf", "-", "--watch"),
                List.of("--to", "http://127.0.0.1:3000", "--port", "8081"))) {
            assertThat(check(typed.toArray(String[]::new))).isZero();
        }
        assertThat(shell.err()).isEmpty();
    }

    private int check(String... typed) {
        return Run.wordsAlone(Objects.requireNonNull(RunWords.plain(typed)), shell.console());
    }
}
