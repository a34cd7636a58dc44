package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.control.socket.LivingProcess;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands for a gateway that is a process of its own: those that end it, and those that find what has ended. */
@Tag("long")
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class SteeredProcessTest {
    @TempDir
    private Path folder;

    @Test
    void aStopWaitsForTheEnd() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", node.port())) {
            Path runDir = SigmaProcess.runDir(folder);
            SteeringTest.Said stop = SteeringTest.say(runDir, "stop");
            assertThat(stop.err()).isEmpty();
            assertThat(stop.out()).startsWith("stopped: pid " + sigma.process().pid() + " (");
            assertThat(stop.exitCode()).isZero();
            // Ended it has; whoever started it, this process, may not have asked for its exit code yet.
            assertThat(ended(sigma.process())).isTrue();
            assertThat(sigma.exitCode()).isZero();
            assertThat(sigma.out()).endsWith("stopped\n");
            assertThat(SteeringTest.say(runDir, "stop").exitCode()).isEqualTo(3);
        }
    }

    private static boolean ended(Process process) {
        return !LivingProcess.isAlive(process.toHandle());
    }

    @Test
    void aStopThatTakesLongerIsSaid() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                SigmaProcess sigma = SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", node.port());
                RawClient client = RawClient.connect(sigma.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            SteeringTest.Said stop = SteeringTest.say(SigmaProcess.runDir(folder), "stop", "--timeout", "300ms");
            assertThat(stop.exitCode()).isEqualTo(1);
            assertThat(stop.err()).contains(" hasn't ended within 300ms; it goes on to drain");
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("late");
            assertThat(sigma.exitCode()).isZero();
        }
    }

    /** By whoever keeps folders of temporary files clean. */
    @Test
    void aSocketThatIsGoneIsMadeAnew() throws Exception {
        Path runDir = SigmaProcess.runDir(folder);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", node.port())) {
            long pid = sigma.process().pid();
            Files.delete(runDir.resolve(pid + ".sock"));
            SteeringTest.Said gone = SteeringTest.say(runDir, "status");
            assertThat(gone.exitCode()).isEqualTo(3);
            assertThat(gone.err()).contains("pid " + pid + " runs, and its socket is gone: `kill -HUP " + pid + "`");
            sigma.signal("HUP");
            Await.until("asked", () -> SteeringTest.say(runDir, "status").exitCode() == 0);
            assertThat(SteeringTest.say(runDir, "stop").exitCode()).isZero();
            assertThat(runDir.resolve(pid + ".sock")).doesNotExist();
            assertThat(runDir.resolve(pid + ".json")).doesNotExist();
        }
    }

    /** Killed, it takes nothing away: the next one does. */
    @Test
    void whatAKilledOneLeftIsTakenAway() throws Exception {
        Path runDir = SigmaProcess.runDir(folder);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", node.port())) {
            sigma.process().destroyForcibly().waitFor();
            assertThat(runDir.resolve(sigma.process().pid() + ".sock")).exists();
            assertThat(SteeringTest.say(runDir, "status").exitCode()).isEqualTo(3);
            assertThat(runDir.resolve(sigma.process().pid() + ".sock")).doesNotExist();
            assertThat(runDir.resolve(sigma.process().pid() + ".json")).doesNotExist();
        }
    }
}
