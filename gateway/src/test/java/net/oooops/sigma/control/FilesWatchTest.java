package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesWatchTest {
    private final List<Path> files = new ArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();

    @TempDir
    private Path folder;

    private FilesWatch watch;

    @BeforeEach
    void begin() throws IOException {
        files.add(Files.writeString(folder.resolve("a"), "1"));
        watch = new FilesWatch(() -> List.copyOf(files), changes::incrementAndGet);
        look(3);
        assertThat(changes).as("what may have changed before").hasValue(1);
        changes.set(0);
    }

    @Test
    void whatStaysAsItIsIsNoChange() {
        look(3);

        assertThat(changes).hasValue(0);
    }

    @Test
    void aChangeIsToldOnceWhenItHasSettled() throws IOException {
        Files.writeString(files.getFirst(), "12");
        look(1);
        assertThat(changes).hasValue(0);
        Files.writeString(files.getFirst(), "123");
        look(1);
        assertThat(changes).as("it is still being written").hasValue(0);

        look(1);
        assertThat(changes).hasValue(1);
        look(3);
        assertThat(changes).hasValue(1);
    }

    @Test
    void aFileThatIsGoneAndOneThatComesBackAreChanges() throws IOException {
        Files.delete(files.getFirst());
        look(2);
        assertThat(changes).hasValue(1);

        Files.writeString(files.getFirst(), "1");
        look(2);
        assertThat(changes).hasValue(2);
    }

    @Test
    void filesThatCameToItByTheChangeAreNoChange() throws IOException {
        Path other = Files.writeString(folder.resolve("b"), "1");
        watch = new FilesWatch(() -> List.copyOf(files), () -> {
            changes.incrementAndGet();
            if (files.size() == 1) {
                files.add(other);
            }
        });
        look(5);
        assertThat(changes).hasValue(1);
        assertThat(files).hasSize(2);

        Files.writeString(other, "12");
        look(2);
        assertThat(changes).hasValue(2);
    }

    @Test
    void whatFailsIsLookedAtAgain() throws IOException {
        watch = new FilesWatch(() -> List.copyOf(files), () -> {
            changes.incrementAndGet();
            throw new IllegalStateException("a fault of the test's own");
        });
        look(2);
        int before = changes.get();
        assertThat(before).isPositive();
        Files.writeString(files.getFirst(), "123");
        look(2);

        assertThat(changes).hasValueGreaterThan(before);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look();
        }
    }
}
