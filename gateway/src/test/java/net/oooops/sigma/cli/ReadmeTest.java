package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the README shows of {@code check} is what it prints. */
class ReadmeTest {
    private static final String COMMAND = "$ ./sigma check -conf sigma.json\n";

    @TempDir
    private Path folder;

    private static String readme(String name) throws IOException {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return Files.readString(here.resolve(name));
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "README_zh.md"})
    void itsProblemsAreThoseOfItsFileWithTwoSlips(String name) throws IOException {
        String readme = readme(name);
        String json = between(readme, "```json\n", "```");
        Path good = Files.writeString(folder.resolve("good.json"), json);
        Path slips = Files.writeString(
                folder.resolve("sigma.json"),
                json.replace("\"allow-method\"", "\"allow-metod\"").replace("\"10s\"", "\"10\""));
        Shell shell = new Shell();

        assertThat(Main.execute(new String[] {"check", "-conf", good.toString()}, shell.console()))
                .as(shell.err())
                .isZero();
        assertThat(Main.execute(new String[] {"check", "-conf", slips.toString()}, shell.console()))
                .isEqualTo(Exit.PROBLEMS);
        assertThat(shell.err().replace(folder + "/", "")).isEqualTo(between(readme, COMMAND, "```"));
    }
}
