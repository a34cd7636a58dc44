package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FmtCommandTest {
    private static final String LOOSE = "{\"a\":1, // one\n\"b\":[ ]}";
    private static final String NEAT = "{\n  \"a\": 1, // one\n  \"b\": []\n}\n";

    @TempDir
    private Path folder;

    private final Shell shell = new Shell();

    private int fmt(String... words) {
        return Main.execute(Stream.concat(Stream.of("fmt"), Stream.of(words)).toArray(String[]::new), shell.console());
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private void assertAlone(Path file) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void aFileIsWrittenAnewAtItsPlace() throws IOException {
        Path file = file("sigma.json", LOOSE);

        assertThat(fmt(file.toString())).isZero();

        assertThat(file).content().isEqualTo(NEAT);
        assertThat(shell.out()).isEqualTo(file + ": formatted\n");
        assertThat(shell.err()).isEmpty();
        assertAlone(file);
    }

    @Test
    void oneThatIsFormattedIsLeftAlone() throws IOException {
        Path file = file("sigma.json", NEAT);
        Object inode = Files.readAttributes(file, "*").get("fileKey");

        assertThat(fmt(file.toString())).isZero();

        assertThat(Files.readAttributes(file, "*").get("fileKey")).isEqualTo(inode);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void itsRightsStayAndSoDoesALinkToIt() throws IOException {
        Path file = file("real.json", LOOSE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("sigma.json"), file);

        assertThat(fmt(link.toString())).isZero();

        assertThat(link).isSymbolicLink();
        assertThat(file).content().isEqualTo(NEAT);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void checkTellsAndWritesNothing() throws IOException {
        Path loose = file("loose.json", LOOSE);
        Path neat = file("neat.json", NEAT);

        assertThat(fmt("--check", neat.toString())).isZero();
        assertThat(shell.err()).isEmpty();
        assertThat(fmt("--check", loose.toString(), neat.toString())).isEqualTo(Exit.PROBLEMS);

        assertThat(shell.err()).isEqualTo(loose + ": not formatted\n");
        assertThat(shell.out()).isEmpty();
        assertThat(loose).content().isEqualTo(LOOSE);
    }

    @Test
    void whatIsntJsonIsLeftAsItIsAndTheOthersAreFormatted() throws IOException {
        Path broken = file("broken.json", "{\"a\": 1\n  \"b\": 2}");
        Path loose = file("loose.json", LOOSE);

        assertThat(fmt(broken.toString(), loose.toString())).isEqualTo(Exit.PROBLEMS);

        assertThat(shell.err()).isEqualTo(broken + ":2:3: \"b\" (expected: a comma or })\n");
        assertThat(broken).content().isEqualTo("{\"a\": 1\n  \"b\": 2}");
        assertThat(loose).content().isEqualTo(NEAT);
    }

    @Test
    void standardInputGoesToStandardOutput() {
        assertThat(Main.execute(new String[] {"fmt", "-"}, shell.console(LOOSE)))
                .isZero();
        assertThat(shell.out()).isEqualTo(NEAT);

        Shell checked = new Shell();
        assertThat(Main.execute(new String[] {"fmt", "--check", "-"}, checked.console(LOOSE)))
                .isEqualTo(Exit.PROBLEMS);
        assertThat(checked.out()).isEmpty();
        assertThat(checked.err()).isEqualTo("standard input: not formatted\n");

        Shell broken = new Shell();
        assertThat(Main.execute(new String[] {"fmt", "-"}, broken.console("{"))).isEqualTo(Exit.PROBLEMS);
        assertThat(broken.out()).isEmpty();
        assertThat(broken.err()).startsWith("standard input:1:2: the end of the file");
    }

    @Test
    void yamlIsRefused() throws IOException {
        Path yaml = file("sigma.yaml", "{}");

        assertThat(fmt(yaml.toString())).isEqualTo(Exit.USAGE);

        assertThat(shell.err()).startsWith("FILE " + yaml + ": YAML (expected: a file of JSON");
        assertThat(yaml).content().isEqualTo("{}");
    }
}
