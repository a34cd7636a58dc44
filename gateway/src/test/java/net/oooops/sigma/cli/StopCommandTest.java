package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which processes have ended. */
@EnabledOnOs(OS.LINUX)
class StopCommandTest {
    /** As the first process of many containers, it starts others and never asks how they ended. */
    @Test
    void whoHasEndedIsNotWaitedForWhereNobodyAsksHow() throws Exception {
        Process careless = new ProcessBuilder("sh", "-c", "sleep 0 & echo $!; exec sleep 60").start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(careless.getInputStream(), US_ASCII))) {
            long child = Long.parseLong(out.readLine());
            Await.until("ended", () -> StopCommand.isZombie(child));
            assertThat(ProcessHandle.of(child).orElseThrow().isAlive()).isTrue();
            assertThat(StopCommand.isZombie(careless.pid())).isFalse();
        } finally {
            careless.destroyForcibly();
        }
        assertThat(StopCommand.isZombie(Long.MAX_VALUE)).isFalse();
    }
}
