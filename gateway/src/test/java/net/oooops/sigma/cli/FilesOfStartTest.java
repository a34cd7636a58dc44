package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A start whose file doesn't answer yet. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class FilesOfStartTest {
    private static final Duration LONG = FileAnswers.LIMIT.multipliedBy(4);

    @TempDir
    private Path folder;

    @Test
    void itSaysWhatItWaitsForAndGoesOnWaiting() throws Exception {
        try (SigmaProcess sigma =
                SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", "/dev/stdin"))) {
            Await.until(
                    "said",
                    LONG,
                    () -> (sigma.out() + sigma.err())
                            .contains("the start waits for /dev/stdin, which hasn't answered within 10 s\n"));
            try (OutputStream file = sigma.process().getOutputStream()) {
                file.write("""
                        {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}}}
                        """.getBytes(US_ASCII));
            }
            sigma.awaitListening();
            assertThat(sigma.out() + sigma.err())
                    .containsOnlyOnce("the start waits for ")
                    .contains("workers");
        }
    }

    /** Else only SIGKILL would end it. */
    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aSignalEndsIt(String signal, int code) throws Exception {
        try (SigmaProcess sigma =
                SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", "/dev/stdin"))) {
            Await.until("said", LONG, () -> (sigma.out() + sigma.err()).contains("the start waits for "));
            sigma.signal(signal);
            assertThat(sigma.exitCode()).isEqualTo(code);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "the check, check -conf /dev/stdin",
        "the check, check -conf FILE -options /dev/stdin",
        "the explanation, explain -conf /dev/stdin http://a.example/",
        "fmt, fmt --check /dev/stdin",
    })
    void aCommandSaysWhatItWaitsFor(String who, String words) throws Exception {
        Path file = Files.writeString(folder.resolve("sigma.json"), "{}");
        List<String> command = List.of(words.replace("FILE", file.toString()).split(" "));
        try (SigmaProcess sigma = SigmaProcess.start(folder, SigmaProcess.How.PLAIN, command)) {
            Await.until(
                    "said",
                    LONG,
                    () -> (sigma.out() + sigma.err())
                            .contains(who + " waits for /dev/stdin, which hasn't answered within 10 s\n"));
            try (OutputStream input = sigma.process().getOutputStream()) {
                input.write("{".getBytes(US_ASCII));
            }
            assertThat(sigma.exitCode()).isEqualTo(Exit.PROBLEMS);
        }
    }
}
