package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is no file to read, where one is named: a sentence with its path, not what Java throws. */
@Timeout(30)
@DisabledOnOs(OS.WINDOWS)
class OddFilesTest {
    private static final String EXPECTED = " (expected: a file that can be read)";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    private String problems(Path file) {
        return ((ConfigResult.Invalid) reader.read(file)).text("f").strip();
    }

    private void assertSaid(Path file, String found) {
        assertThat(problems(file)).isEqualTo(file + ": " + found + EXPECTED);
        assertThat(Unreadable.why(file)).isEqualTo(found);
    }

    @Test
    void links() throws IOException {
        Path loop = folder.resolve("loop");
        Files.createSymbolicLink(loop, folder.resolve("back"));
        Files.createSymbolicLink(folder.resolve("back"), loop);
        assertSaid(loop, "links that lead in a circle");
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing"));
        assertSaid(dangling, "a link that leads to no file");
        assertSaid(folder.resolve("nothing"), "no such file");
    }

    @Test
    void linksThatAreIncluded() throws IOException {
        Path loop = folder.resolve("loop.json");
        Files.createSymbolicLink(loop, loop);
        byte[] json = "{\"include\": \"loop.json\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(((ConfigResult.Invalid) reader.read(json, folder)).text("f").strip())
                .isEqualTo(loop + ": links that lead in a circle" + EXPECTED);
    }

    @Test
    void foldersAndWhatIsBelowAFile() throws IOException {
        assertSaid(folder, "a folder");
        Path below = Files.writeString(folder.resolve("a"), "{}").resolve("b");
        assertThat(problems(below)).isEqualTo(below + ": not a directory" + EXPECTED);
        assertThat(Unreadable.why(below)).isEqualTo("no such file");
    }

    @Test
    void names() {
        assertSaid(folder.resolve("n".repeat(300)), "file name too long");
        assertThat(problems(folder.resolve("a\nb"))).isEqualTo(folder + "/a\\u000ab: no such file" + EXPECTED);
        assertThat(Unreadable.shown(folder.resolve("a\nb"))).isEqualTo(folder + "/a\\u000ab");
    }

    @Test
    void whatNobodyMayRead() throws IOException {
        Path closed = Files.writeString(folder.resolve("closed"), "{}");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(closed)).as("read by root all the same").isFalse();
        String user = "the user " + System.getProperty("user.name");
        assertThat(problems(closed)).isEqualTo(closed + ": permission denied to " + user + EXPECTED);
        assertThat(Unreadable.why(closed)).isEqualTo("a file that " + user + " can't read");
    }

    @Test
    void sockets() throws IOException {
        Path socket = folder.resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertThat(problems(socket)).isEqualTo(socket + ": a pipe, a socket or a device" + EXPECTED);
        }
    }

    @Test
    void devicesThatNeverEnd() {
        Path zero = Path.of("/dev/zero");
        assumeThat(zero).exists();
        assertThat(problems(zero)).startsWith("/dev/zero: a file of more bytes (expected: at most ");
    }
}
