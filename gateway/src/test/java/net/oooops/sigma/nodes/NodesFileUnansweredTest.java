package net.oooops.sigma.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.HeldFile;
import net.oooops.sigma.config.NodeScheme;
import net.oooops.sigma.config.NodesFile;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of nodes that doesn't answer when it has changed. */
class NodesFileUnansweredTest {
    /** Then a change of it is no longer looked for by itself. */
    private static final long OLD_NANOS = TimeUnit.MILLISECONDS.toNanos(3500);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private Path file() {
        return dir.resolve("nodes.json");
    }

    @Test
    void whatHasChangedMeanwhileIsReadOnceItAnswers() throws Exception {
        Files.writeString(file(), "[\"http://127.0.0.1:1\"]");
        try (ChangingGateway gateway =
                ChangingGateway.http().upstream("nodes-file", file().toString()).start()) {
            HeldFile held = new HeldFile(file());
            Files.writeString(file(), "[\"http://127.0.0.1:2\"]");
            long changedNanos = System.nanoTime();
            Await.until("it is old", () -> System.nanoTime() - changedNanos > OLD_NANOS);
            assertThat(new NodesFile(file(), NodeScheme.HTTP).read())
                    .isInstanceOfSatisfying(NodesFile.Content.Refused.class, refused -> {
                        assertThat(refused.unanswered()).isTrue();
                        assertThat(refused.problems().getFirst().text("f"))
                                .startsWith("f: hasn't answered yet what it was asked before");
                    });
            held.close();
            gateway.awaitNodes("127.0.0.1:2");
        }
    }
}
