package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import net.oooops.sigma.control.socket.LivingProcess;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which processes have ended. */
@EnabledOnOs(OS.LINUX)
class StopCommandTest {
    /**
     * As the first process of many containers, it starts others and never asks how they ended. A shell may ask: the child
     * ends when none is there any more.
     */
    @Test
    void whoHasEndedIsNotWaitedForWhereNobodyAsksHow() throws Exception {
        Process careless =
                new ProcessBuilder("sh", "-c", "exec 3<&0; (read line <&3) & echo $!; exec sleep 60").start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(careless.getInputStream(), US_ASCII))) {
            long child = Long.parseLong(out.readLine());
            Await.until(
                    "a shell no more",
                    () -> careless.info()
                            .arguments()
                            .filter(words -> List.of(words).equals(List.of("60")))
                            .isPresent());
            careless.getOutputStream().close();
            ProcessHandle ended = ProcessHandle.of(child).orElseThrow();
            Await.until("ended", () -> !LivingProcess.isAlive(ended));
            assertThat(ended.isAlive()).isTrue();
            assertThat(LivingProcess.isAlive(careless.toHandle())).isTrue();
        } finally {
            careless.destroyForcibly();
        }
    }
}
