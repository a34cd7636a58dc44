package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -conf} as every command takes it: several times, and from standard input. */
class ConfTest {
    private static final String FIRST = """
            {
              "proxy-server": { "http": { "id": "web", "port": 9080 } },
              "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "p" }] }],
              "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
              "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:1"] }]
            }
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final Shell shell = new Shell();

    private int execute(String input, String... words) {
        Console out = shell.terminal();
        Console with = new Console(
                out.out(), out.err(), new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), () -> false);
        return Main.execute(words, with);
    }

    private String first() throws IOException {
        return Files.writeString(folder.resolve("first.json"), FIRST).toString();
    }

    @Test
    void standardInputIsChecked() {
        assertThat(execute(FIRST, "check", "-conf", "-")).isEqualTo(Exit.OK);
        assertThat(shell.out()).isEqualTo("standard input: valid — 1 listener, 1 router, 1 route, 1 upstream\n");
    }

    /** As commands say it that ask a gateway. */
    @Test
    void whatAGatewayRunsWithIsNamed() {
        assertThat(Conf.shown(Path.of("-"))).isEqualTo("standard input");
        assertThat(Conf.shown(Path.of("a/../b.json")))
                .isEqualTo(Path.of("b.json").toAbsolutePath().toString());
    }

    @Test
    void soIsItsEverythingAndItsNameIsTold() {
        assertThat(execute(FIRST.replace("9080", "90800"), "check", "--conf=-")).isEqualTo(Exit.PROBLEMS);
        assertThat(shell.out()).isEqualTo("standard input:2:52 /proxy-server/http/port: 90800 (expected: <= 65535)\n");
    }

    @Test
    void laterFilesOverrideEarlierOnes() throws IOException {
        String second = Files.writeString(
                        folder.resolve("second.json"),
                        "{ \"upstream\": [{ \"id\": \"u\", \"nodes\": [\"http://127.0.0.1:2\"] }] }")
                .toString();
        assertThat(execute("", "explain", "-conf", first(), "-conf", second, "GET", "http://localhost:9080/"))
                .isEqualTo(Exit.OK);
        assertThat(shell.out()).contains("http://127.0.0.1:2").doesNotContain("http://127.0.0.1:1");
    }

    @Test
    void standardInputMayBeOneOfThem() throws IOException {
        String second = "{ \"proxy-server\": { \"http\": { \"port\": \"none\" } } }";
        assertThat(execute(second, "check", "-conf", first(), "-conf", "-")).isEqualTo(Exit.PROBLEMS);
        assertThat(shell.out())
                .isEqualTo("standard input:1:39 /proxy-server/http/port: \"none\" (expected: an integer)\n");
    }

    @Test
    void theyAreAllNamed() throws IOException {
        assertThat(execute("{}", "check", "-conf", first(), "-conf", "-")).isEqualTo(Exit.OK);
        assertThat(shell.out()).startsWith(folder + "/first.json, standard input: valid");
    }

    @Test
    void standardInputIsThereOnce() {
        assertThat(execute("{}", "check", "-conf", "-", "-conf", "-")).isEqualTo(Exit.USAGE);
        assertThat(shell.out()).startsWith("-conf -: a second time (expected: standard input once)");
    }
}
