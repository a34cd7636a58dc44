package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;

/** What a Worker opens to see its own load it closes again. */
@Isolated("descriptors of the process")
@EnabledOnOs(OS.LINUX)
class LoopLoadFilesTest {
    private static long open() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(LoopLoadFilesTest::isOfLoad).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isOfLoad(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).endsWith("schedstat");
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    @Test
    void theyAreClosedWithTheWorker() {
        long before = open();
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node).workers(2).start()) {
            Await.value("open files", LoopLoadFilesTest::open, n -> n >= before + 2);
            assertThat(gateway.port()).isPositive();
        }
        Await.value("open files", LoopLoadFilesTest::open, n -> n <= before);
    }
}
