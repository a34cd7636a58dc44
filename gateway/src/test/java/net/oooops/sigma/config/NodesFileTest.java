package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of nodes is read again and again by the one that knows it; what can be wrong with one stands in the golden files. */
class NodesFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private NodesFile.Content read(NodesFile file, String text) throws IOException {
        Files.writeString(file.file(), text);
        return file.read();
    }

    private static String problem(NodesFile.Content content) {
        return content instanceof NodesFile.Content.Refused refused
                ? refused.problems().getFirst().text("f")
                : content.toString();
    }

    @Test
    void whatStandsInItIsReadEachTime() throws IOException {
        NodesFile file = new NodesFile(dir.resolve("nodes"), NodeScheme.TCP);
        assertThat(problem(file.read())).isEqualTo("f: no such file (expected: a file that can be read)");
        assertThat(read(
                        file,
                        "[\"tcp://a:1\", {\"url\": \"tcp://b:2\", \"weight\": 2, \"backup\": true, \"zone\": \"z\"}]"))
                .isEqualTo(new NodesFile.Content.Nodes(
                        List.of(new NodeConfig("a", 1, 1), new NodeConfig("b", 2, 2, true, "z"))));
        assertThat(problem(read(file, "[\"tcp://a:1\","))).startsWith("f:1:14: the end of the file");
        assertThat(problem(read(file, "{\"nodes\": []}"))).isEqualTo("f:1:1: an object (expected: an array)");
        assertThat(problem(read(file, "[\"http://a:1\"]"))).contains("tcp://host:port");
        assertThat(read(file, "\ufeff[\"tcp://c:3\"]")).isInstanceOf(NodesFile.Content.Nodes.class);
        Files.write(file.file(), "[\"tcp://\u00e9:1\"]".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(problem(file.read())).startsWith("f:1:9: a byte that is not UTF-8");
    }

    @Test
    void oneThatIsTooLongIsNotRead() throws IOException {
        NodesFile file = new NodesFile(dir.resolve("nodes"), NodeScheme.HTTP);
        assertThat(problem(read(file, " ".repeat(NodesFile.FILE_BYTES_MAX + 1))))
                .isEqualTo("f: a file of more bytes (expected: at most 8388608 bytes)");
    }
}
