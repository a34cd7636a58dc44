package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.SocketClient;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A new process takes the place of one that runs. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class UpgradeTest extends UpgradeFixture {
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring"})
    void anotherProcessServesAndTheOneBeforeEndsWhatItHasBegun(String transport) throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node =
                        ScriptedUpstream.start(request -> request.target().equals("/late")
                                ? Script.script().stall(gate).respond(Answer.ok("late"))
                                : Answer.ok("yes"));
                SigmaProcess sigma = run("{\"transport\": \"" + transport + "\"}", node);
                RawClient idle = RawClient.connect(sigma.port());
                RawClient late = RawClient.connect(sigma.port())) {
            idle.send(GET).readResponse();
            late.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n");
            String name = "127.0.0.1:" + node.port();
            assertThat(say("weight", name, "7").exitCode()).isZero();
            assertThat(say("log-level", "ERROR", "some.logger").exitCode()).isZero();
            Said upgrade = say("upgrade");
            assertThat(upgrade.err()).isEmpty();
            long next = serving();
            assertThat(upgrade.out())
                    .startsWith("pid " + next + " serves (sigma ")
                    .endsWith("; pid " + sigma.process().pid() + " ends what it has begun\n");

            // What was said of a node holds still.
            assertThat(status().at("/upstreams/0/nodes/0/weight").intValue()).isEqualTo(7);
            assertThat(status().at("/log_levels/some.logger").textValue()).isEqualTo("ERROR");
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
            RawResponse last = idle.send(GET).readResponse();
            assertThat(last.bodyText()).isEqualTo("yes");
            assertThat(last.header("Connection")).isEqualTo("close");
            gate.release();
            assertThat(late.readResponse().bodyText()).isEqualTo("late");
            assertThat(sigma.exitCode()).isZero();
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");

            // It can be done again, and all of it goes with a stop.
            assertThat(say("upgrade").exitCode()).isZero();
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
            assertThat(say("stop").exitCode()).isZero();
            assertThatThrownBy(() -> RawClient.connect(sigma.port())).isInstanceOf(IOException.class);
        }
    }

    /** What the files say was rolled back, and the other process knows nothing else. */
    @Test
    void whatWasRolledBackIsServedAgainWhichIsSaid() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            Path conf = folder.resolve("sigma.json");
            Files.writeString(conf, Files.readString(conf).replace("\"path\": \"/*\"", "\"path\": \"/other\""));
            assertThat(say("reload").out()).contains("configuration 2 holds");
            assertThat(ask(sigma.port()).status()).isEqualTo(404);
            assertThat(say("rollback", "1").out()).contains("configuration 3 holds");
            assertThat(ask(sigma.port()).status()).isEqualTo(200);

            Said upgrade = say("upgrade");
            String warning = "the configuration that was rolled back to holds no more: pid " + serving()
                    + " has what the files of configuration say";
            assertThat(upgrade.out()).startsWith("warning: " + warning + "\npid " + serving() + " serves ");
            assertThat(ask(sigma.port()).status()).isEqualTo(404);
            assertThat(status().at("/configuration/rolled_back").booleanValue()).isFalse();
            assertThat(sigma.exitCode()).isZero();
            assertThat(sigma.out() + sigma.err()).containsPattern("WARN .* asked for an upgrade: " + warning);
            assertThat(say("upgrade").out()).doesNotContain("warning");
        }
    }

    @Test
    void sessionsGoOnAndDatagramsAreAnswered() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                DatagramSocket echo = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SigmaProcess sigma = runSessions(node.getLocalPort(), echo.getLocalPort())) {
            Thread.ofVirtual().start(() -> echo(echo));
            JsonNode listeners = status().at("/listeners");
            sessionsGoOn(sigma, node, port(listeners.get(0)), port(listeners.get(1)));
        }
    }

    private SigmaProcess runSessions(int tcpNode, int udpNode) throws IOException {
        String json = """
                {"proxy-server": {
                    "tcp": [{"id": "t", "host": "127.0.0.1", "port": 0, "proxy-pass-id": "t"}],
                    "udp": [{"id": "u", "host": "127.0.0.1", "port": 0, "proxy-pass-id": "u"}]},
                 "proxy-pass": [{"id": "t", "upstream-id": "t"}, {"id": "u", "upstream-id": "u"}],
                 "upstream": [{"id": "t", "nodes": ["tcp://127.0.0.1:%d"]}, {"id": "u", "nodes": ["udp://127.0.0.1:%d"]}],
                 "timeouts": {"drain-upgrade": "7s"}}
                """.formatted(tcpNode, udpNode);
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        SigmaProcess sigma = SigmaProcess.start(
                folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString(), "-instance", "2"));
        sigma.awaitListening();
        return sigma;
    }

    private void sessionsGoOn(SigmaProcess sigma, ServerSocket node, int tcp, int udp) throws Exception {
        try (Socket session = new Socket(InetAddress.getLoopbackAddress(), tcp);
                Socket atNode = node.accept();
                DatagramSocket client = new DatagramSocket()) {
            client.setSoTimeout(5000);
            client.connect(InetAddress.getLoopbackAddress(), udp);
            assertThat(answered(client, "before")).isEqualTo("before");
            assertThat(say("upgrade").err()).isEmpty();
            for (int i = 0; i < 50; i++) {
                assertThat(answered(client, "after " + i)).isEqualTo("after " + i);
            }
            session.getOutputStream().write("more".getBytes(US_ASCII));
            assertThat(atNode.getInputStream().readNBytes(4)).isEqualTo("more".getBytes(US_ASCII));
            new Socket(InetAddress.getLoopbackAddress(), tcp).close();
            node.accept().close();
            // timeouts.drain-upgrade is over: the session is cut.
            assertThatThrownBy(() -> session.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(sigma.exitCode()).isZero();
            assertThat(answered(client, "last")).isEqualTo("last");
        }
    }

    private static int port(JsonNode listener) {
        String url = listener.get("url").textValue();
        return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
    }

    @Test
    void aNewProcessThatCannotStartChangesNothingAndSaysWhy() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            Path conf = folder.resolve("sigma.json");
            String sound = Files.readString(conf);
            Files.writeString(conf, sound.replace("\"proxy-pass-id\"", "\"proxy-pas-id\""));
            Said upgrade = say("upgrade");
            assertThat(upgrade.exitCode()).isEqualTo(Exit.PROBLEMS);
            assertThat(upgrade.err())
                    .startsWith("the new process can't start: ")
                    .contains("unknown key \"proxy-pas-id\"");
            assertThat(serving()).isEqualTo(sigma.process().pid());
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
            assertThat(sigma.err())
                    .contains("asked for an upgrade, and all stays as it was: the new process can't start");

            // What only one process may have is noticed last: the one that serves has let go of it by then.
            try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Files.writeString(
                        conf,
                        sound.replace(
                                "\"proxy-server\": {",
                                "\"proxy-server\": {\"admin\": {\"port\": " + taken.getLocalPort() + "}, "));
                assertThat(say("upgrade").err()).contains("can't listen on 127.0.0.1:" + taken.getLocalPort());
            }
            assertThat(serving()).isEqualTo(sigma.process().pid());
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");

            Files.writeString(conf, sound);
            assertThat(say("reload").exitCode()).isZero();
            assertThat(say("upgrade").exitCode()).isZero();
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
        }
    }

    @Test
    void aLauncherThatStartsNothingIsNotWaitedForWithoutEnd() throws Exception {
        Path hanging = script("hanging", "exec sleep 100");
        Path ending = script("ending", "exit 7");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            assertThat(refusal(hanging, 2)).contains("hanging: hasn't begun within 1 s");
            assertThat(refusal(ending, 20)).contains("ending: ended with 7 before it had begun");
            assertThat(refusal(folder.resolve("nothing"), 20))
                    .contains("nothing")
                    .contains("No such file");
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
            assertThat(sigma.process().descendants()).isEmpty();
        }
    }

    /** The edit settles while the upgrade is under way, and nobody says it again. */
    @Test
    void whatIsWatchedIsTakenAfterAnUpgradeThatCameToNothing() throws Exception {
        Path begun = folder.resolve("begun");
        Path slow = script("slow", "touch " + begun + "; sleep 5; exit 7");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = watching(node)) {
            CompletableFuture<String> refused =
                    CompletableFuture.supplyAsync(() -> refusalOf(slow), Thread::startVirtualThread);
            Await.until("begun", () -> Files.exists(begun));
            Path conf = folder.resolve("sigma.json");
            Files.writeString(conf, Files.readString(conf).replace("/*", "/a/*"));
            assertThat(refused.get(30, TimeUnit.SECONDS)).contains("slow: ended with 7 before it had begun");
            Await.until("reloaded", () -> say("status").out().contains("generation 2, by watch, "));
            assertThat(sigma.err()).doesNotContain("watch asked for a reload, and all stays");
        }
    }

    private SigmaProcess watching(ScriptedUpstream node) throws IOException {
        String json = """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
                 "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                 "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:%d"]}]}
                """.formatted(node.port());
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        SigmaProcess sigma =
                SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString(), "--watch"));
        sigma.awaitListening();
        return sigma;
    }

    private String refusalOf(Path launcher) {
        try {
            return refusal(launcher, 30);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Path script(String name, String does) throws IOException {
        Path script = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + does + "\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    private String refusal(Path launcher, int seconds) throws Exception {
        Path socket = LivingGateways.in(runFolder()).getFirst().socket();
        try {
            SocketClient.ask(socket, "upgrade", Map.of("launcher", launcher.toString()), Duration.ofSeconds(seconds));
            return "";
        } catch (Refused e) {
            return e.text();
        }
    }

    @Test
    void whereTheNewProcessDiesTheOneBeforeServesAgain() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            assertThat(say("upgrade").exitCode()).isZero();
            SigmaProcess.kill(serving());
            Await.until("serving again", () -> serving() == sigma.process().pid());
            RawResponse answer = ask(sigma.port());
            assertThat(answer.bodyText()).isEqualTo("yes");
            assertThat(answer.header("Connection")).isNull();
            assertThat(sigma.err())
                    .contains("which had taken the place of this process, has ended: this one serves again");
            assertThat(say("reload").exitCode()).isZero();
            assertThat(say("upgrade").exitCode()).isZero();
            assertThat(sigma.exitCode()).isZero();
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
        }
    }

    @Test
    void whereTheOneBeforeDiesTheNewProcessServes() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            assertThat(say("upgrade").exitCode()).isZero();
            SigmaProcess.kill(sigma.process().pid());
            assertThat(sigma.exitCode()).isNotZero();
            for (int i = 0; i < 20; i++) {
                assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
            }
        }
    }

    @Test
    void aSignalAsksForItToo() throws Exception {
        SigmaProcess.How how =
                new SigmaProcess.How(List.of("env", "_JAVA_SR_SIGNUM=60"), SigmaProcess.How.PLAIN.classPath());
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = SigmaProcess.run(folder, how, "{}", node.port())) {
            sigma.signal("USR2");
            Await.until("another one serves", Duration.ofSeconds(60), () -> {
                long serving = serving();
                return serving != 0 && serving != sigma.process().pid();
            });
            assertThat(sigma.exitCode()).isZero();
            assertThat(sigma.err()).contains("SIGUSR2 asked for an upgrade: pid ");
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
        }
    }

    /** It is told to stop as soon as it is there: whenever that is heard, one serves, or the end is known. */
    @Test
    void aNewProcessThatIsToldToStopBeforeItServesChangesNothing() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = run("{}", node)) {
            CompletableFuture<Said> upgrade =
                    CompletableFuture.supplyAsync(() -> say("upgrade"), Thread::startVirtualThread);
            Await.until("started", () -> sigma.process().children().findAny().isPresent());
            ProcessHandle next = sigma.process().children().findAny().orElseThrow();
            while (!upgrade.isDone() && serving() == sigma.process().pid()) {
                new ProcessBuilder("kill", "-TERM", String.valueOf(next.pid()))
                        .start()
                        .waitFor();
            }
            assertThat(upgrade.get().exitCode()).isEqualTo(Exit.PROBLEMS);
            Await.until("serving", () -> serving() == sigma.process().pid());
            assertThat(ask(sigma.port()).bodyText()).isEqualTo("yes");
        }
    }

    /** Whoever stops the one that serves stops those that still end what they had begun, and waits for them. */
    @Test
    void aStopIsForAllOfThem() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                SigmaProcess sigma = run("{}", node);
                RawClient client = RawClient.connect(sigma.port())) {
            client.send(GET);
            node.awaitHeads(1);
            assertThat(say("upgrade").exitCode()).isZero();
            assertThat(say("upgrade").exitCode()).isZero();
            long last = serving();
            assertThat(new ProcessBuilder("kill", "-TERM", String.valueOf(last))
                            .start()
                            .waitFor())
                    .isZero();
            // Nobody waits where nobody answers.
            Await.until("refused", () -> isRefused(sigma.port()));
            assertThat(sigma.process().isAlive()).isTrue();
            assertThat(ProcessHandle.of(last)).isPresent();
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
            assertThat(sigma.exitCode()).isZero();
            Await.until("ended", () -> hasEnded(last));
        }
    }

    private static boolean isRefused(int port) {
        try {
            RawClient.connect(port).close();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** The one that takes nothing more still ends when it is told to. */
    @Test
    void aStopIsHeardWhileTheOneBeforeEnds() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                SigmaProcess sigma = run("{}", node);
                RawClient client = RawClient.connect(sigma.port())) {
            client.send(GET);
            node.awaitHeads(1);
            assertThat(say("upgrade").exitCode()).isZero();
            long next = serving();
            sigma.signal("TERM");
            SigmaProcess.kill(next);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
            Await.until("ended", () -> !sigma.process().isAlive());
        }
    }
}
