package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A running gateway is asked, and told, from the command line. */
@DisabledOnOs(OS.WINDOWS)
class SteeringTest {
    private static final String JSON = """
            {
              "proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
              "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}],
              "proxy-client": {"wait-timeout": "1ms"}
            }
            """;

    @TempDir
    private Path folder;

    private Path conf(String name) throws IOException {
        return Files.writeString(folder.resolve(name), JSON);
    }

    private Running run(String name) throws IOException {
        return Running.start(new RunWords(
                RunWords.VERTICLE, List.of(conf(name)), null, 1, folder.resolve("run"), false, FirstWords.NONE));
    }

    /** What a command came to. */
    record Said(int exitCode, String out, String err) {}

    static Said say(Path runDir, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--run-dir", runDir.toString()));
        Shell shell = new Shell();
        int exitCode = Main.execute(all.toArray(String[]::new), shell.console());
        return new Said(exitCode, shell.out(), shell.err());
    }

    private Said say(String... words) {
        return say(folder.resolve("run"), words);
    }

    @Test
    void statusSaysWhatRuns() throws Exception {
        try (Running running = run("sigma.json")) {
            Said status = say("status");
            assertThat(status.err()).isEmpty();
            assertThat(status.exitCode()).isZero();
            assertThat(status.out())
                    .startsWith("sigma 0.")
                    .contains(", pid " + ProcessHandle.current().pid() + ", since ")
                    .containsPattern(
                            "\n {2}configuration  generation 1, by start, since [^ ]+ \\([0-9]+s\\), number 1 of the history\n")
                    .containsPattern("\n {2}sha256 {9}[0-9a-f]{64}\n")
                    .contains(
                            "\n  file           " + folder.resolve("sigma.json").toRealPath() + "\n")
                    .contains("\n  listens on     http://127.0.0.1:" + running.port() + " (s, 0 connected)\n")
                    .contains("\n  connections    0\n")
                    .contains("\nupstream u: 1 of 1 nodes available\n")
                    .containsPattern("\n {2}127\\.0\\.0\\.1:1 {2}healthy, weight 1, 0 in flight, 0 failed, since ");
            JsonNode json = new ObjectMapper().readTree(say("status", "--json").out());
            assertThat(json.at("/configuration/generation").intValue()).isEqualTo(1);
            assertThat(json.at("/configuration/files/0").textValue()).endsWith("/sigma.json");
            assertThat(json.at("/listeners/0/url").textValue()).isEqualTo("http://127.0.0.1:" + running.port());
            assertThat(json.at("/upstreams/0/nodes/0/health").textValue()).isEqualTo("healthy");
            assertThat(json.at("/listeners/0/connections").intValue()).isZero();
            assertThat(json.at("/upstreams/0/nodes/0/last_failure").isNull()).isTrue();
            assertThat(json.at("/draining").booleanValue()).isFalse();
        }
    }

    @Test
    void statusSaysWhoIsConnectedAndWhatFailedLast() throws Exception {
        try (Running running = run("sigma.json");
                RawClient client = RawClient.connect(running.port())) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .status())
                    .isEqualTo(502);
            assertThat(say("status").out())
                    .contains(" (s, 1 connected)\n")
                    .containsPattern(
                            "\n {4}last failure CONNECT_FAILED \\(connection refused\\), 20[0-9TZ:-]+ \\([0-9]+s\\)\n")
                    .contains("\nupstream u: 1 of 1 nodes available, of 1 the last attempt failed\n")
                    .contains("  127.0.0.1:1  last attempt failed, weight 1, ");
            JsonNode json = new ObjectMapper().readTree(say("status", "--json").out());
            assertThat(json.at("/listeners/0/connections").intValue()).isEqualTo(1);
            JsonNode last = json.at("/upstreams/0/nodes/0/last_failure");
            assertThat(last.get("fault").textValue()).isEqualTo("CONNECT_FAILED");
            assertThat(last.get("why").textValue()).isEqualTo("connection refused");
            assertThat(json.at("/upstreams/0/nodes/0/last_attempt_failed").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void theEmbeddedOneHasASocketToo() {
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(), null, 1))) {
            assertThat(say(running.runDir(), "status").out())
                    .contains("  file           embedded configuration\n", "upstream ");
            assertThat(say(running.runDir(), "history").out()).contains("1  2").contains("  start  sha256 ");
        }
    }

    @Test
    void aDrainingGatewaySaysSo() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                Running running = Running.start(new RunWords(
                        RunWords.VERTICLE,
                        List.of(Files.writeString(
                                folder.resolve("a.json"), JSON.replace("127.0.0.1:1", "127.0.0.1:" + node.port()))),
                        null,
                        1,
                        folder.resolve("run"),
                        false,
                        FirstWords.NONE));
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            assertThat(say("status").out()).contains("  connections    1\n", ", 1 in flight, ");
            running.interrupt();
            Await.until("draining", () -> say("status").out().contains(", draining\n"));
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
        }
        assertThat(say("status").exitCode()).isEqualTo(3);
    }

    @Test
    void ofSeveralOneIsChosen() throws Exception {
        try (Running first = run("a.json");
                Running second = run("b.json")) {
            Said any = say("status");
            assertThat(any.exitCode()).isEqualTo(2);
            assertThat(any.out()).isEmpty();
            assertThat(any.err())
                    .startsWith("several gateways are running; choose with --pid N or -conf FILE:\n  pid ")
                    .contains("/a.json, since ", "/b.json, since ");
            assertThat(say("status", "-conf", folder.resolve("a.json").toString())
                            .out())
                    .contains(":" + first.port() + " ");
            assertThat(say("status", "-conf", folder.resolve("b.json").toString())
                            .out())
                    .contains(":" + second.port() + " ");
            Said none = say("status", "--pid", "1");
            assertThat(none.exitCode()).isEqualTo(3);
            assertThat(none.err()).startsWith("no such gateway is running; there are:\n  pid ");
            Said other = say("reload", "-conf", folder.resolve("c.json").toString());
            assertThat(other.exitCode()).isEqualTo(3);
            assertThat(other.err()).contains("`sigma diff -conf` compares another; there are:\n  pid ");
        }
    }

    @Test
    void aDiffSaysWhatWouldChange() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            Path now = Files.writeString(
                    folder.resolve("new.json"),
                    JSON.replace("127.0.0.1:1\"", "127.0.0.1:2\"")
                            .replace("\"u\", \"nodes", "\"u\", \"rule-strategy\": \"random\", \"nodes"));
            Said diff = say("diff", "-conf", now.toString());
            assertThat(diff.out()).isEqualTo("""
                            upstreams: 1 changed (u: rule-strategy, +1 node 127.0.0.1:2, -1 node 127.0.0.1:1)
                            nodes: 1 added (u/127.0.0.1:2), 1 removed (u/127.0.0.1:1)
                            """);
            Said same = say("diff", "-conf", folder.resolve("sigma.json").toString());
            assertThat(same.out()).isEqualTo("nothing changes\n");
            Files.writeString(now, "{\"proxy-server\": 7}");
            Said broken = say("diff", "-conf", now.toString());
            assertThat(broken.exitCode()).isEqualTo(1);
            assertThat(broken.err()).contains("/proxy-server");
        }
    }

    @Test
    void aLogLevelIsSetAndShown() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            String logger = "net.oooops.sigma.noclass.Steering";
            assertThat(say("log-level", "DEBUG", logger).out()).contains(logger + " DEBUG");
            assertThat(say("status").out()).contains(logger + " DEBUG");
            Said wrong = say("log-level", "LOUD");
            assertThat(wrong.exitCode()).isEqualTo(1);
            assertThat(wrong.err())
                    .isEqualTo("level: LOUD (expected: one of OFF, ERROR, WARN, INFO, DEBUG, TRACE, default)\n");
            assertThat(say("log-level", "default", logger).out()).doesNotContain(logger);
            assertThat(say("status").out()).doesNotContain(logger);
        }
    }

    @Test
    void aReloadSaysWhatItDid() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            Path file = folder.resolve("sigma.json");
            Files.writeString(file, JSON.replace("127.0.0.1:1\"", "127.0.0.1:2\""));
            Said done = say("reload");
            assertThat(done.err()).isEmpty();
            assertThat(done.out()).isEqualTo("""
                            configuration 2 holds
                            upstreams: 1 changed (u: +1 node 127.0.0.1:2, -1 node 127.0.0.1:1)
                            nodes: 1 added (u/127.0.0.1:2), 1 removed (u/127.0.0.1:1)
                            """);
            assertThat(say("status").out())
                    .contains("  configuration  generation 2, by ")
                    .contains("\n  127.0.0.1:2 ");

            Files.writeString(file, JSON.replace("\"nodes\"", "\"knots\""));
            Said broken = say("reload");
            assertThat(broken.exitCode()).isEqualTo(1);
            assertThat(broken.err())
                    .contains("sigma.json:5:28 /upstream/0/knots: ")
                    .contains("unknown key \"knots\"")
                    .endsWith("all stays as it was\n");
            assertThat(say("status").out()).contains("generation 2, by ");
        }
    }

    /** The history counts what is different, over all processes: its numbers are those that `rollback` takes. */
    @Test
    void theNumberOfTheHistoryIsSaid() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            assertThat(say("reload").out()).startsWith("configuration 1 holds\n");
            JsonNode reload =
                    new ObjectMapper().readTree(say("reload", "--json").out());
            assertThat(reload.get("generation").intValue()).isEqualTo(3);
            assertThat(reload.get("number").intValue()).isEqualTo(1);
            assertThat(say("status").out()).containsPattern("generation 3, by .*, number 1 of the history\n");
            JsonNode status =
                    new ObjectMapper().readTree(say("status", "--json").out());
            assertThat(status.at("/configuration/number").intValue()).isEqualTo(1);
        }
    }

    /** As a deployment does that turns a link to its next folder. */
    @Test
    void aGatewayIsTheSameWhereItsLinkIsTurned() throws Exception {
        Path one = Files.createDirectory(folder.resolve("v1"));
        Path two = Files.createDirectory(folder.resolve("v2"));
        Files.writeString(one.resolve("sigma.json"), JSON);
        Files.writeString(two.resolve("sigma.json"), JSON.replace("127.0.0.1:1\"", "127.0.0.1:2\""));
        Path data = Files.createSymbolicLink(folder.resolve("data"), one);
        try (Running running = run("data/sigma.json")) {
            assertThat(running.port()).isPositive();
            Files.createSymbolicLink(folder.resolve("data.new"), two);
            Files.move(folder.resolve("data.new"), data, StandardCopyOption.ATOMIC_MOVE);
            String conf = data.resolve("sigma.json").toString();
            assertThat(say("reload", "-conf", conf).out()).contains("+1 node 127.0.0.1:2");
            assertThat(say("status", "-conf", conf).exitCode()).isZero();
            assertThat(say("status", "-conf", two.resolve("sigma.json").toString())
                            .exitCode())
                    .isZero();
            assertThat(say("status", "-conf", one.resolve("sigma.json").toString())
                            .exitCode())
                    .isEqualTo(3);
        }
        try (Running running = run("data/sigma.json")) {
            assertThat(running.port()).isPositive();
            assertThat(say("history").out()).as("goes on").contains("1  2", "2  2");
        }
    }

    @Test
    void anEarlierConfigurationIsTakenOnceMore() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            Path part = Files.createDirectory(folder.resolve("conf.d")).resolve("u.json");
            Files.writeString(
                    folder.resolve("sigma.json"),
                    JSON.replace("127.0.0.1:1\"]}]", "127.0.0.1:2\"]}], \"include\": \"conf.d\""));
            Files.writeString(part, "{\"upstream\": [{\"id\": \"v\", \"nodes\": [\"http://127.0.0.1:3\"]}]}");
            assertThat(say("reload").out()).contains("1 added (v)");
            Files.writeString(part, "{\"upstream\": [{\"id\": \"v\", \"nodes\": [\"http://127.0.0.1:4\"]}]}");
            assertThat(say("reload").out()).contains("+1 node 127.0.0.1:4");

            assertThat(say("rollback", "1").out())
                    .startsWith("configuration 4 holds\n")
                    .contains("1 removed (v)");
            assertThat(say("rollback", "2").out()).contains("\nconfiguration 5 holds\n");
            assertThat(say("history").out()).contains(" (rollback to 2)  sha256 ");
            assertThat(say("status").out()).contains(" (rollback to 2), since ");
            assertThat(say("status").out())
                    .as("what was in all of its files")
                    .contains(
                            "\n  rolled back    until a reload, an upgrade or a start, which take what the files say\n")
                    .contains("\n  127.0.0.1:2 ", "\n  127.0.0.1:3 ")
                    .doesNotContain("\n  127.0.0.1:4 ");
            Said none = say("rollback", "77");
            assertThat(none.exitCode()).isEqualTo(1);
            assertThat(none.err()).startsWith("configuration 77: not kept (expected: 1 to ");
            assertThat(isRolledBack()).isTrue();
            assertThat(say("reload").out()).contains("+1 node 127.0.0.1:4");
            assertThat(isRolledBack()).isFalse();
            assertThat(say("status").out()).doesNotContain("rolled back");
        }
    }

    private boolean isRolledBack() throws IOException {
        return new ObjectMapper()
                .readTree(say("status", "--json").out())
                .at("/configuration/rolled_back")
                .booleanValue();
    }

    @Test
    void filesThatChangeAreReadAgainWhereThatIsAsked() throws Exception {
        Path file = conf("sigma.json");
        RunWords words =
                new RunWords(RunWords.VERTICLE, List.of(file), null, 1, folder.resolve("run"), true, FirstWords.NONE);
        try (Running running = Running.start(words)) {
            assertThat(running.port()).isPositive();
            Files.writeString(file, JSON.replace("127.0.0.1:1\"", "127.0.0.1:2222\""));
            Await.until("reloaded", () -> say("status").out().contains("generation 2, by watch, "));
            assertThat(say("status").out()).contains("127.0.0.1:2222");
        }
    }

    @Test
    void aNodeIsSteeredAcrossReloads() throws Exception {
        try (Running running = run("sigma.json")) {
            assertThat(running.port()).isPositive();
            assertThat(say("weight", "127.0.0.1:1", "7").out())
                    .isEqualTo("upstream u node 127.0.0.1:1: used, with weight 7\n");
            assertThat(say("drain", "u/127.0.0.1:1").out())
                    .isEqualTo("upstream u node 127.0.0.1:1: drained, with weight 7\n"
                            + "upstream u: 0 of 1 nodes available now\n");
            Files.writeString(
                    folder.resolve("sigma.json"),
                    JSON.replace("127.0.0.1:1\"]", "127.0.0.1:1\", \"http://127.0.0.1:2\"]"));
            assertThat(say("reload").exitCode()).isZero();
            assertThat(say("status").out()).containsPattern("\n {2}127\\.0\\.0\\.1:1 +drained, weight 7, ");
            assertThat(say("eject", "127.0.0.1:1").out()).contains(": ejected, with weight 7");
            assertThat(say("restore", "127.0.0.1:1").out()).isEqualTo("upstream u node 127.0.0.1:1: used\n");
            assertThat(say("status").out()).containsPattern("\n {2}127\\.0\\.0\\.1:1 +healthy, weight 1, ");

            Said none = say("eject", "[::1]:80");
            assertThat(none.exitCode()).isEqualTo(1);
            assertThat(none.err()).isEqualTo("no node [::1]:80 (expected: one of u/127.0.0.1:1, u/127.0.0.1:2)\n");
            Said zero = say("weight", "127.0.0.1:1", "0");
            assertThat(zero.err()).startsWith("weight: 0 (expected: 1 to ");
        }
    }

    @Test
    void theEmbeddedConfigurationCanNotBeReadAgain() {
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(), null, 1))) {
            Said said = say(running.runDir(), "reload");
            assertThat(said.exitCode()).isEqualTo(1);
            assertThat(said.err())
                    .isEqualTo("the configuration is built in (expected: sigma run -conf FILE)\nall stays as it was\n");
        }
    }

    @Test
    void withoutAFolderItServesAllTheSame() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        RunWords words = new RunWords(
                RunWords.VERTICLE, List.of(conf("sigma.json")), null, 1, file.resolve("run"), false, FirstWords.NONE);
        try (Running running = Running.start(words);
                RawClient client = RawClient.connect(running.port())) {
            assertThat(running.shell().err())
                    .startsWith("warning: `sigma status` and others can't reach this gateway: run folder " + file)
                    .hasLineCount(1);
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(502);
        }
    }

    private Path conf(String name, String runtime) throws IOException {
        return Files.writeString(folder.resolve(name), JSON.replaceFirst("\\{", "{\"runtime\": " + runtime + ","));
    }

    @Test
    void aCheckNamesWhatTakesARestart() throws Exception {
        Path same = conf("same.json");
        Path other = conf("other.json", "{\"transport\": \"nio\", \"relay-memory\": \"64MiB\"}");
        Path layer = Files.writeString(folder.resolve("layer.json"), "{\"runtime\": {\"send-buffer\": \"64KiB\"}}");
        Said before = say("check", "-conf", other.toString());
        assertThat(before.err()).isEmpty();
        try (Running _ = run("sigma.json")) {
            Said none = say("check", "-conf", same.toString());
            assertThat(none.err()).isEmpty();
            assertThat(none.exitCode()).isZero();

            Said some = say("check", "-conf", other.toString());
            assertThat(some.exitCode()).isZero();
            assertThat(some.out()).isEqualTo(before.out()).endsWith(" upstream\n");
            String gateway = "pid " + ProcessHandle.current().pid() + " \\("
                    + folder.resolve("sigma.json").toRealPath() + ", since [^ ]+\\)";
            assertThat(some.err())
                    .matches(
                            "note: in " + gateway + " this takes a restart: runtime.transport, runtime.relay-memory\n");
            assertThat(say("diff", "-conf", other.toString()).out())
                    .endsWith("\ntakes a restart: runtime.transport, runtime.relay-memory\n");

            assertThat(say("check", "-conf", same.toString(), "-conf", layer.toString())
                            .err())
                    .endsWith(" takes a restart: runtime.send-buffer\n");
            Said broken = say(
                    "check",
                    "-conf",
                    Files.writeString(folder.resolve("broken.json"), "{").toString());
            assertThat(broken.exitCode()).isEqualTo(Exit.PROBLEMS);
            assertThat(broken.err()).doesNotContain("restart");
        }
    }

    /** What reads what a check says of its input isn't surprised. */
    @Test
    void aCheckOfStandardInputIsAboutNoGateway() throws Exception {
        Path other = conf("other.json", "{\"transport\": \"nio\"}");
        try (Running _ = run("sigma.json")) {
            Shell shell = new Shell();
            String[] words = {
                "check", "-conf", "-", "--run-dir", folder.resolve("run").toString()
            };
            assertThat(Main.execute(words, shell.console(Files.readString(other))))
                    .isZero();
            assertThat(shell.err()).isEmpty();
        }
    }

    @Test
    void aCheckAsksNeitherOfTwoGateways() throws Exception {
        Path other = conf("other.json", "{\"transport\": \"nio\"}");
        try (Running _ = run("a.json");
                Running _ = run("b.json")) {
            assertThat(say("check", "-conf", other.toString()).err()).isEmpty();
        }
    }

    /** It listens, and says nothing. */
    @Test
    @Timeout(30)
    void aCheckIsNotKeptByAGatewayThatHangs() throws Exception {
        Path run = Files.createDirectory(
                folder.resolve("run"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path other = conf("other.json", "{\"transport\": \"nio\"}");
        try (ServerSocketChannel hanging = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            hanging.bind(UnixDomainSocketAddress.of(run.resolve("1.sock")));
            Said said = say("check", "-conf", other.toString());
            assertThat(said.exitCode()).isZero();
            assertThat(said.err()).isEmpty();
        }
    }

    @Test
    void aCheckTakesNoNoticeOfAFolderThatCannotBeUsed() throws Exception {
        Path other = conf("other.json", "{\"transport\": \"nio\"}");
        Said said = say(Files.writeString(folder.resolve("file"), ""), "check", "-conf", other.toString());
        assertThat(said.exitCode()).isZero();
        assertThat(said.err()).isEmpty();
    }
}
