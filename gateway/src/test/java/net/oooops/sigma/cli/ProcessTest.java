package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command in a JVM of its own: what signals do, and what exit code the shell sees. */
@Tag("long")
@DisabledOnOs(OS.WINDOWS)
class ProcessTest {
    @TempDir
    private Path folder;

    private SigmaProcess run(ScriptedUpstream node) throws IOException {
        return SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", node.port());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalDrainsAndTheExitCodeIs0(String signal) throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run(node)) {
            try (RawClient client = RawClient.connect(sigma.port())) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("yes");
                sigma.signal(signal);
                assertThat(sigma.exitCode()).isZero();
                client.expectCleanClose();
            }
            assertThat(sigma.out()).endsWith("draining: 1 connection, up to 30s\nstopped\n");
            assertThat(sigma.err()).isEmpty();
        }
    }

    @Test
    void aHangUpWhileTheTerminalIsThereReadsTheConfigurationAgain() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run(node);
                RawClient client = RawClient.connect(sigma.port())) {
            Path file = folder.resolve("sigma.json");
            String before = Files.readString(file);
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("yes");

            Files.writeString(file, before.replace("\"/*\"", "\"/b/:id\""));
            sigma.signal("HUP");
            Await.until("reloaded", () -> sigma.err().contains("SIGHUP asked for a reload: configuration 2 holds"));
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(404);

            Files.writeString(file, before.replace("\"upstream-id\"", "\"upstream\""));
            sigma.signal("HUP");
            Await.until("refused", () -> sigma.err().contains("/proxy-pass/0/upstream"));
            client.send("GET /b/1 HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("yes");

            sigma.signal("TERM");
            assertThat(sigma.exitCode()).isZero();
        }
    }

    /** Tools that rotate logs send it. */
    @Test
    void aSignalOfHabitEndsNothing() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run(node)) {
            sigma.signal("USR1");
            Await.until("said", () -> sigma.err().contains("SIGUSR1 does nothing"));
            try (RawClient client = RawClient.connect(sigma.port())) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("yes");
            }
            sigma.signal("TERM");
            assertThat(sigma.exitCode()).isZero();
        }
    }

    @Test
    void aSecondInterruptEndsItAtOnce() throws Exception {
        Gate never = new Gate();
        try (ScriptedUpstream node =
                        ScriptedUpstream.play(Script.script().readRequest().stall(never));
                SigmaProcess sigma = run(node)) {
            try (RawClient client = RawClient.connect(sigma.port())) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                node.awaitRequests(1);
                sigma.signal("INT");
                Await.until("draining", () -> sigma.out().contains("draining: 1 connection"));
                sigma.signal("INT");
                assertThat(sigma.exitCode()).isEqualTo(130);
            }
            never.release();
        }
    }

    @Test
    void aHangUpCutsNothingThatAnInterruptLetEnd() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                SigmaProcess sigma = run(node);
                RawClient client = RawClient.connect(sigma.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            sigma.signal("INT");
            Await.until("draining", () -> sigma.out().contains("draining: 1 connection"));
            sigma.signal("HUP");
            sigma.signal("HUP");
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
            assertThat(sigma.exitCode()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void closingTheTerminalDrains() throws Exception {
        Gate gate = new Gate();
        SigmaProcess.How inATerminal = new SigmaProcess.How(
                List.of("bash", "-c", "exec script -qfc \"$(printf '%q ' \"$@\")\" /dev/null", "bash"),
                SigmaProcess.How.PLAIN.classPath());
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                SigmaProcess terminal = SigmaProcess.run(folder, inATerminal, "{}", node.port());
                RawClient idle = RawClient.connect(terminal.port());
                RawClient client = RawClient.connect(terminal.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            List<ProcessHandle> inside = terminal.process().descendants().toList();
            assertThat(inside).isNotEmpty();
            terminal.process().destroyForcibly().waitFor();
            idle.expectClosed();
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
            client.expectCleanClose();
            for (ProcessHandle each : inside) {
                each.onExit().get(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void whatIsToOutliveItsTerminalDoes() throws Exception {
        SigmaProcess.How nohup = new SigmaProcess.How(List.of("nohup"), SigmaProcess.How.PLAIN.classPath());
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = SigmaProcess.run(folder, nohup, "{}", node.port());
                RawClient client = RawClient.connect(sigma.port())) {
            sigma.signal("HUP");
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("yes");
            assertThat(sigma.out()).doesNotContain("draining");
            sigma.signal("TERM");
            assertThat(sigma.exitCode()).isZero();
        }
    }

    @Test
    void theEmbeddedOneStaysOnLoopbackWhereThatIsAsked() throws Exception {
        SigmaProcess.How onLoopback = new SigmaProcess.How(
                List.of("env", "JDK_JAVA_OPTIONS=-D" + Embedded.LOOPBACK + "=true"),
                SigmaProcess.How.PLAIN.classPath());
        try (SigmaProcess sigma = SigmaProcess.start(folder, onLoopback, List.of("run"))) {
            sigma.awaitListening();
            assertThat(sigma.out())
                    .containsPattern("listens on  http://127\\.0\\.0\\.1:[0-9]+ \\(")
                    .doesNotContain(
                            "0.0.0.0", "is taken", ":" + Embedded.PORT + " ", ":" + Embedded.UPSTREAM_PORT + " ");
            try (RawClient client = RawClient.connect(sigma.port())) {
                client.send("GET /test/a HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aMissingFileIsWrongUsage() throws Exception {
        try (SigmaProcess sigma = SigmaProcess.start(
                folder,
                SigmaProcess.How.PLAIN,
                List.of("check", "-conf", folder.resolve("none.json").toString()))) {
            assertThat(sigma.exitCode()).isEqualTo(2);
            assertThat(sigma.out()).isEmpty();
            assertThat(sigma.err()).contains("none.json: no such file");
        }
    }

    @Test
    void whatServesNobodyTellsNothingOfItself() throws Exception {
        Path config = Path.of(Objects.requireNonNull(ProcessTest.class.getResource("golden/client.json"))
                .toURI());
        List<String> words = List.of("explain", "-conf", config.toString(), "https://shop.example.com:8443/");
        try (SigmaProcess sigma = SigmaProcess.start(folder, SigmaProcess.How.PLAIN, words)) {
            Await.until("explained", Duration.ofSeconds(60), () -> sigma.out().contains("sent as"));
            assertThat(sigma.exitCode()).isZero();
            assertThat(sigma.err()).doesNotContain(" INFO ");
        }
    }
}
