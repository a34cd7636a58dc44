package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What processes that drain say of themselves, and what becomes of it when they are killed. */
@SuppressWarnings("NullAway.Init")
class DrainingProcessTest {
    private static final String STARTED =
            ProcessHandle.current().info().startInstant().orElseThrow().toString();

    @TempDir
    private Path temporary;

    private final Instant now = Instant.now();
    private RunFolder folder;

    @BeforeEach
    void make() throws SocketFault {
        folder = RunFolder.named(temporary.resolve("run"));
        folder.make();
    }

    private DrainingProcess written(String started, Instant until) throws Exception {
        DrainingProcess.Whose whose =
                new DrainingProcess.Whose(ProcessHandle.current().pid(), started, "1.2.3", "the first");
        DrainingProcess draining = new DrainingProcess(whose, now, until, 3);
        draining.write(folder);
        return draining;
    }

    @Test
    void oneThatLivesIsFoundAndStays() throws Exception {
        DrainingProcess draining = written(STARTED, now.minusSeconds(1));

        LivingGateways.takeDeadAway(folder);

        assertThat(DrainingProcess.in(folder)).containsExactly(draining);
        assertThat(LivingGateways.in(folder)).isEmpty();
        assertThat(LivingGateways.withoutSocket(folder)).isEmpty();
        draining.takeAway(folder);
        assertThat(DrainingProcess.in(folder)).isEmpty();
    }

    /** Another process may have its number by now; and where the folder is shared, it may live in another container. */
    @Test
    void oneThatIsNotThereIsNotFoundAndIsForgottenWhenItsTimeIsOver() throws Exception {
        String before = Instant.parse(STARTED).minus(Duration.ofHours(1)).toString();
        DrainingProcess killed = written(before, now.minusSeconds(1));
        DrainingProcess elsewhere = written(before.replace("Z", "1Z"), now.plusSeconds(60));

        assertThat(DrainingProcess.in(folder)).isEmpty();
        LivingGateways.takeDeadAway(folder);

        assertThat(killed.isWritten(folder)).isFalse();
        assertThat(elsewhere.isWritten(folder)).isTrue();
    }

    @Test
    void whatCannotBeReadIsLeftAloneForADay() throws Exception {
        Path file = Files.writeString(folder.path().resolve("4711-1.drains"), "{\"pid\": \"x\"");

        assertThat(DrainingProcess.in(folder)).isEmpty();
        LivingGateways.takeDeadAway(folder);

        assertThat(file).exists();
        DrainingProcess.takeDeadAway(folder, Instant.now().plus(Duration.ofHours(25)));
        assertThat(file).doesNotExist();
    }

    /** As on Windows, where a folder has no rights of Unix. */
    @Test
    void noneDrainsWhereNoneCan() throws Exception {
        try (FileSystem zip = FileSystems.newFileSystem(temporary.resolve("a.zip"), Map.of("create", "true"))) {
            Path other = Files.createDirectory(zip.getPath("/run"));
            assertThat(DrainingProcess.in(new RunFolder(other))).isEmpty();
        }
    }
}
