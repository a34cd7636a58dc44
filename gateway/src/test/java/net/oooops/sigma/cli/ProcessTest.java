package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The command in a JVM of its own: what signals do, and what exit code the shell sees. */
@DisabledOnOs(OS.WINDOWS)
class ProcessTest {
    private static final Pattern ADDRESS = Pattern.compile("listens on +http://[^ ]*:([0-9]+) ");

    @TempDir
    private Path folder;

    private @Nullable Process started;

    @AfterEach
    void end() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @Test
    void sigtermDrainsAndExitsWith0() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"))) {
            run(node.port());
            try (RawClient client = RawClient.connect(port())) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("yes");
                signal("TERM");
                assertThat(exitCode()).isZero();
                client.expectCleanClose();
            }
            assertThat(out()).endsWith("draining: 1 connection, up to 30s\nstopped\n");
            assertThat(Files.readString(folder.resolve("err"))).isEmpty();
        }
    }

    @Test
    void aSecondInterruptEndsItAtOnce() throws Exception {
        Gate never = new Gate();
        try (ScriptedUpstream node =
                ScriptedUpstream.play(Script.script().readRequest().stall(never))) {
            run(node.port());
            try (RawClient client = RawClient.connect(port())) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                node.awaitRequests(1);
                signal("INT");
                Await.until("draining", () -> out().contains("draining: 1 connection"));
                signal("INT");
                assertThat(exitCode()).isEqualTo(130);
            }
            never.release();
        }
    }

    @Test
    void aMissingFileIsWrongUsage() throws Exception {
        start("check", "-conf", folder.resolve("none.json").toString());

        assertThat(exitCode()).isEqualTo(2);
        assertThat(out()).isEmpty();
        assertThat(Files.readString(folder.resolve("err"))).contains("none.json: no such file");
    }

    private void run(int nodePort) throws IOException {
        String json = "{\"proxy-server\": {\"http\": {\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0}},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\","
                + " \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\"}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:" + nodePort + "\"]}]}";
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        start("run", RunWords.VERTICLE, "-conf", conf.toString(), "-instance", "1");
        Await.until("listening", () -> out().contains("workers") || !process().isAlive());
    }

    private void start(String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
        builder.command().addAll(List.of(words));
        started = builder.redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
    }

    private Process process() {
        return Objects.requireNonNull(started);
    }

    private int port() {
        Matcher matcher = ADDRESS.matcher(out());
        assertThat(matcher.find()).as(out()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private void signal(String name) throws Exception {
        Process kill =
                new ProcessBuilder("kill", "-" + name, String.valueOf(process().pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private int exitCode() throws InterruptedException {
        assertThat(process().waitFor(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .as("ended")
                .isTrue();
        return process().exitValue();
    }

    private String out() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
