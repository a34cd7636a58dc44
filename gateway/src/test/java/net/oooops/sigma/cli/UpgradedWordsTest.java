package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.Presence;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What operators have said goes from process to process. */
@EnabledOnOs(OS.LINUX)
class UpgradedWordsTest {
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

    private SigmaProcess run() throws IOException {
        return SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", 1, 2);
    }

    private void rename(String from, String to) throws IOException {
        Path conf = folder.resolve("sigma.json");
        Files.writeString(conf, Files.readString(conf).replace('"' + from + '"', '"' + to + '"'));
    }

    private String health(int node) throws IOException {
        return status().at("/upstreams/0/nodes/" + node + "/health").textValue();
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
