package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import net.oooops.sigma.control.socket.DrainingProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Who is named by its number may drain, or serve. */
@EnabledOnOs(OS.LINUX)
class StopByPidTest extends UpgradeFixture {
    private void writeDraining(ProcessHandle process, Instant until) throws Exception {
        String started = process.info().startInstant().orElseThrow().toString();
        DrainingProcess.Whose whose = new DrainingProcess.Whose(process.pid(), started, "1.2.3", "the first");
        new DrainingProcess(whose, Instant.now(), until, 1).write(runFolder());
    }

    /** One of another container may drain, with the same number and begun at the same time. */
    @Test
    void whoServesHereIsAsked() throws Exception {
        try (SigmaProcess sigma = SigmaProcess.run(folder, SigmaProcess.How.PLAIN, "{}", 1)) {
            writeDraining(sigma.process().toHandle(), Instant.now().plusSeconds(60));

            Said stop = say("stop", "--pid", String.valueOf(sigma.process().pid()));

            assertThat(stop.err()).isEmpty();
            assertThat(stop.out()).startsWith("stopped: pid ").doesNotContain("which drained");
        }
    }

    /** As one that hangs: it may still end now that it is told. */
    @Test
    void whoseTimeIsOverIsWaitedForAllTheSame() throws Exception {
        runFolder().make();
        Process late = new ProcessBuilder(
                        "sh", "-c", "trap 'sleep 1; exit 0' TERM; echo there; while true; do sleep 0.1; done")
                .start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(late.getInputStream(), US_ASCII))) {
            assertThat(out.readLine()).isEqualTo("there");
            writeDraining(late.toHandle(), Instant.now().minusSeconds(100));

            Said stop = say("stop", "--pid", String.valueOf(late.pid()));

            assertThat(stop.err()).isEmpty();
            assertThat(stop.out()).isEqualTo("stopped: pid " + late.pid() + ", which drained\n");
        } finally {
            late.destroyForcibly();
        }
    }
}
