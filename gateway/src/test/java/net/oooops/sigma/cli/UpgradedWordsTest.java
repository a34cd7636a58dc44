package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketFault;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What operators have said goes from process to process, and back where the new one dies. */
@EnabledOnOs(OS.LINUX)
class UpgradedWordsTest {
    private static final String UNKNOWN = "what operators told that process isn't known here";

    @TempDir
    private Path folder;

    @AfterEach
    void endAll() throws Exception {
        for (Presence each : LivingGateways.in(runFolder())) {
            SigmaProcess.kill(each.pid());
            Await.until("ended", () -> ProcessHandle.of(each.pid()).isEmpty());
        }
    }

    private RunFolder runFolder() {
        return RunFolder.named(SigmaProcess.runDir(folder));
    }

    private String say(String... words) {
        SteeringTest.Said said = SteeringTest.say(SigmaProcess.runDir(folder), words);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said.out();
    }

    private JsonNode status() throws IOException {
        return new ObjectMapper().readTree(say("status", "--json"));
    }

    private long serving() {
        try {
            List<Presence> all = LivingGateways.in(runFolder());
            return all.size() == 1 ? all.getFirst().pid() : 0;
        } catch (SocketFault e) {
            throw new AssertionError(e.text(), e);
        }
    }

    private SigmaProcess run() throws IOException {
        return SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", 1, 2);
    }

    private void rename(String from, String to) throws IOException {
        Path conf = folder.resolve("sigma.json");
        Files.writeString(conf, Files.readString(conf).replace('"' + from + '"', '"' + to + '"'));
    }

    private void killAndAwait(SigmaProcess before) {
        SigmaProcess.kill(serving());
        Await.until("serving again", () -> serving() == before.process().pid());
    }

    private String health(int node) throws IOException {
        return status().at("/upstreams/0/nodes/" + node + "/health").textValue();
    }

    @Test
    void whatTheNewProcessWasToldHoldsWhereItDies() throws Exception {
        try (SigmaProcess sigma = run()) {
            say("drain", "127.0.0.1:1");
            say("upgrade");
            say("restore", "127.0.0.1:1");
            say("eject", "127.0.0.1:2");
            say("log-level", "ERROR", "some.logger");
            killAndAwait(sigma);
            assertThat(health(0)).isEqualTo("healthy");
            assertThat(health(1)).isEqualTo("ejected");
            assertThat(status().at("/log_levels/some.logger").textValue()).isEqualTo("ERROR");
            assertThat(sigma.err()).doesNotContain(UNKNOWN);
        }
    }

    @Test
    void whereNothingWasSaidNothingIsMissed() throws Exception {
        try (SigmaProcess sigma = run()) {
            say("drain", "127.0.0.1:1");
            say("upgrade");
            killAndAwait(sigma);
            assertThat(health(0)).isEqualTo("drained");
            assertThat(sigma.err()).doesNotContain(UNKNOWN);
        }
    }

    /** The new process follows another configuration, and goes back to the one before. */
    @Test
    void whatIsSaidOfNodesThatAreAwayGoesAlong() throws Exception {
        try (SigmaProcess _ = run()) {
            say("drain", "u/127.0.0.1:1");
            rename("u", "v");
            say("upgrade");
            assertThat(health(0)).isEqualTo("healthy");
            assertThat(status().at("/absent_nodes/0/use").textValue()).isEqualTo("drained");
            rename("v", "u");
            say("reload");
            assertThat(health(0)).isEqualTo("drained");
        }
    }
}
