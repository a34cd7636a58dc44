package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the system's zlib can't be used: a JVM that forbids native access has none. */
class GzipWithoutSystemTest {
    private static final String JSON = """
            {
              "proxy-server": { "http": { "id": "a", "port": 8080 } },
              "router": [{
                "id": "r", "proxy-server-id": "a", "plugin": { "compression": { "encodings": ["gzip"] } },
                "route": [
                  { "id": "x", "path": "/x", "plugin": { "gzip": SETTINGS }, "proxy-pass-id": "p" },
                  { "id": "y", "path": "/y", "plugin": { "gzip": {} }, "proxy-pass-id": "p" }
                ]
              }],
              "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
              "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:1"] }]
            }
            """;

    private static final String SAID = "gzip is packed by the JDK, which costs more";

    @TempDir
    private Path folder;

    /** What {@code check} says, with its exit code behind it. */
    private String checked(String settings, String access) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("sigma.json"), JSON.replace("SETTINGS", settings));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-Xshare:auto", access));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("check", "-conf", file.toString(), "--run-dir", folder.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return said + process.waitFor();
    }

    @Test
    void itIsSaidOnce() throws Exception {
        String said = checked("{ \"window-bits\": 15, \"mem-level\": 8 }", "--illegal-native-access=deny");
        assertThat(said)
                .containsOnlyOnce(SAID)
                .contains("Illegal native access")
                .endsWith("0");
        assertThat(checked("{ \"window-bits\": 9 }", "--enable-native-access=ALL-UNNAMED"))
                .doesNotContain(SAID)
                .endsWith("0");
    }

    @Test
    void anotherWindowIsAProblem() throws Exception {
        assertThat(checked("{ \"window-bits\": 9 }", "--illegal-native-access=deny"))
                .contains("window-bits: 9 (expected: 15, so leave it out: the system's zlib can't be used")
                .endsWith("1");
    }
}
