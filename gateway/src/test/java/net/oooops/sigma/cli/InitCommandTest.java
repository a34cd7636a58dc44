package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.config.SigmaConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InitCommandTest {
    @TempDir
    private Path folder;

    private final Shell shell = new Shell();
    private Path out = Path.of("sigma.json");

    @BeforeEach
    void nameTheFile() {
        out = folder.resolve("sigma.json");
    }

    private int init(Console console, String... words) {
        return Main.execute(
                Stream.concat(Stream.of("init", "--out", out.toString()), Stream.of(words))
                        .toArray(String[]::new),
                console);
    }

    private SigmaConfig written() throws Failure {
        Setup setup = Setup.readToRun(
                Conf.written(List.of(out), InputStream.nullInputStream()), PluginsFolder.catalog(null, null));
        setup.snapshot().close();
        assertThat(setup.warnings()).isEmpty();
        return setup.config();
    }

    @Test
    void aFileIsWrittenThatRuns() throws Exception {
        int exitCode =
                init(shell.console(), "--to", "http://127.0.0.1:3000", "--host", "shop.example.com", "--port", "8081");

        assertThat(exitCode).isZero();
        assertThat(shell.out())
                .isEqualTo(out + ": written — requests for shop.example.com to http://127.0.0.1:3000, on port 8081\n"
                        + "next: ./sigma run -conf " + out + "\n");
        assertThat(shell.err()).isEmpty();
        assertThat(written().listeners().getFirst().port()).isEqualTo(8081);
        assertThat(written().routers().getFirst().virtualHosts()).containsExactly("shop.example.com");
    }

    @Test
    void whyAFileCantBeWrittenIsToldInASentence() {
        Path other = out.resolveSibling("a".repeat(300));

        int exitCode =
                Main.execute(new String[] {"init", "--to", "http://a", "--out", other.toString()}, shell.console());

        assertThat(exitCode).isEqualTo(Exit.PROBLEMS);
        assertThat(shell.err() + shell.out())
                .contains(other + ": can't be written, File name too long (expected: --out FILE with a name")
                .doesNotContain("Exception");
    }

    @Test
    void aFileThatIsThereStays() throws Exception {
        Files.writeString(out, "mine");

        assertThat(init(shell.typing(""), "--to", "http://a")).isEqualTo(Exit.USAGE);

        assertThat(out).content().isEqualTo("mine");
        assertThat(shell.out())
                .startsWith(out + ": is there already (expected: --out FILE with another name, or --force");
    }

    @Test
    void unlessItIsForced() throws Exception {
        Files.writeString(out, "mine");

        assertThat(init(shell.console(), "--to", "http://a", "--force")).isZero();

        assertThat(written().upstreams()).hasSize(1);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(out);
        }
    }

    @Test
    void forceNeedsNoFileThatIsThere() throws Exception {
        assertThat(init(shell.console(), "--to", "http://a", "--force")).isZero();
        assertThat(written().upstreams()).hasSize(1);
    }

    @Test
    void aTerminalIsAskedUntilItsAnswersMakeSense() throws Exception {
        int exitCode = init(shell.typing("3000\nhttp://127.0.0.1:3000, http://127.0.0.1:3001\n\neighty\n8082\n"));

        assertThat(exitCode).as(shell.out()).isZero();
        assertThat(shell.out())
                .isEqualTo("Where do requests go, such as http://127.0.0.1:3000? "
                        + "--to: 3000 (expected: a URL such as http://127.0.0.1:3000; did you mean http://127.0.0.1:3000?)\n"
                        + "Where do requests go, such as http://127.0.0.1:3000? "
                        + "For which host, such as shop.example.com (empty: any)? "
                        + "On which port (empty: 8080)? "
                        + "--port: eighty (expected: 1 to 65535, or 0 for any free one)\n"
                        + "On which port (empty: 8080)? "
                        + out + ": written — everything to http://127.0.0.1:3000, http://127.0.0.1:3001, on port 8082\n"
                        + "next: ./sigma run -conf " + out + "\n");
        assertThat(written().upstreams().getFirst().nodes()).hasSize(2);
    }

    @Test
    void onlyWhatIsMissingIsAskedFor() throws Exception {
        assertThat(init(shell.typing("http://a\n"), "--host", "b", "--port", "81"))
                .isZero();

        assertThat(written().routers().getFirst().virtualHosts()).containsExactly("b");
        assertThat(written().listeners().getFirst().port()).isEqualTo(81);
    }

    @Test
    void sessionsHaveNoHostToAskFor() throws Exception {
        assertThat(init(shell.typing("tcp://127.0.0.1:5432\n5433\n"))).isZero();

        assertThat(shell.out()).doesNotContain("host");
        assertThat(written().allListeners().getFirst().port()).isEqualTo(5433);
    }

    @Test
    void withoutAnAnswerNothingIsWritten() {
        assertThat(init(shell.typing("http://a\n"))).isEqualTo(Exit.USAGE);

        assertThat(shell.out()).contains("no answer: nothing is written");
        assertThat(out).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--to", "--to http://a/b", "--to http://a --port 99999", "--to http://a --host a:1"})
    void whatMakesNoSenseIsWrongUsage(String words) {
        assertThat(init(shell.console(), words.isEmpty() ? new String[0] : words.split(" ", -1)))
                .isEqualTo(Exit.USAGE);
        assertThat(out).doesNotExist();
    }

    @Test
    void twoSpellingsOfOneNodeAreAProblemBeforeAnythingIsWritten() {
        assertThat(init(shell.console(), "--to", "http://a", "--to", "http://a:80"))
                .isEqualTo(Exit.PROBLEMS);

        assertThat(shell.err()).contains("each node once");
        assertThat(out).doesNotExist();
    }

    @Test
    void aFolderIsNeeded() throws IOException {
        out = folder.resolve("gone/sigma.json");
        assertThat(init(shell.console(), "--to", "http://a")).isEqualTo(Exit.USAGE);
        assertThat(shell.err()).contains("no folder");

        out = Files.createDirectory(folder.resolve("folder"));
        assertThat(init(shell.console(), "--to", "http://a", "--force")).isEqualTo(Exit.USAGE);
    }
}
