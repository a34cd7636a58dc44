package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.HeldFile;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesWatchTest {
    private final List<Path> files = new ArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicBoolean toBeRead = new AtomicBoolean();
    private boolean answered = true;

    @TempDir
    private Path folder;

    private FilesWatch watch;

    @BeforeEach
    void begin() throws IOException {
        files.add(Files.writeString(folder.resolve("a"), "1"));
        watch = new FilesWatch(() -> List.copyOf(files), () -> toBeRead.getAndSet(false), this::told);
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

    /** As tools write that keep a file's time, such as {@code cp -p} onto one that is there. */
    @Test
    void aChangeInPlaceThatKeepsTimeAndSizeIsAChange() throws IOException {
        assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("unix");
        Path file = files.getFirst();
        FileTime time = Files.getLastModifiedTime(file);
        Object key = Files.getAttribute(file, "fileKey");
        awaitLaterThan((FileTime) Files.getAttribute(file, "unix:ctime"));
        Files.writeString(file, "2");
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        assertThat(Files.getAttribute(file, "fileKey")).isEqualTo(key);

        look(2);
        assertThat(changes).hasValue(1);
        look(3);
        assertThat(changes).hasValue(1);
    }

    /** Until a file that is written then has another time: that of files goes in steps. */
    private static void awaitLaterThan(FileTime time) {
        Await.until("later", () -> System.currentTimeMillis() > time.toMillis() + 2 * FilesWatch.COARSE_MILLIS);
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
        Path other = old("b");
        watch = new FilesWatch(() -> List.copyOf(files), () -> false, () -> {
            changes.incrementAndGet();
            if (files.size() == 1) {
                files.add(other);
            }
            return true;
        });
        look(5);
        assertThat(changes).hasValue(1);
        assertThat(files).hasSize(2);

        Files.writeString(other, "12");
        look(2);
        assertThat(changes).hasValue(2);
    }

    @Test
    void whatFailsIsToldAgainWhenTheyChange() throws IOException {
        watch = new FilesWatch(() -> List.copyOf(files), () -> false, () -> {
            changes.incrementAndGet();
            throw new IllegalStateException("a fault of the test's own");
        });
        look(1);
        assertThatThrownBy(() -> look(1)).isInstanceOf(IllegalStateException.class);
        look(1);
        assertThat(changes).as("what failed is told once").hasValue(1);
        Files.writeString(files.getFirst(), "123");
        look(1);
        assertThatThrownBy(() -> look(1)).isInstanceOf(IllegalStateException.class);

        assertThat(changes).hasValue(2);
    }

    @Test
    void anErrorDoesNotEndIt() throws IOException {
        try (FilesWatch _ = FilesWatch.start(() -> List.copyOf(files), () -> false, () -> {
            changes.incrementAndGet();
            throw new NoClassDefFoundError("net/example/Plugin");
        })) {
            Await.until("told", () -> changes.get() == 1);
            Files.writeString(files.getFirst(), "12");
            Await.until("told again", () -> changes.get() == 2);
        }
    }

    @Test
    void filesThatAreNewAmongThemAreNoChange() throws IOException {
        Path other = old("b");
        look(1);
        files.add(other);
        look(3);
        assertThat(changes).hasValue(0);
        files.removeFirst();
        look(3);
        assertThat(changes).as("one that is none of them any more").hasValue(0);

        Files.writeString(files.getFirst(), "12");
        look(2);
        assertThat(changes).hasValue(1);
    }

    @Test
    void aFileThatIsNewAmongThemAndThereLaterIsAChange() throws IOException {
        files.add(folder.resolve("b"));
        look(2);
        assertThat(changes).hasValue(0);

        Files.writeString(files.getLast(), "1");
        look(2);
        assertThat(changes).hasValue(1);
    }

    @Test
    void aFileThatIsNewAmongThemAndMayHaveBeenReadBeforeItWasWrittenIsAChange() throws IOException {
        files.add(Files.writeString(folder.resolve("b"), "1"));
        look(1);
        assertThat(changes).as("it may still be written").hasValue(0);
        look(1);
        assertThat(changes).hasValue(1);
        look(3);
        assertThat(changes).hasValue(1);
    }

    @Test
    void aFileThatCameToItByTheChangeAndWasWrittenMeanwhileIsAChange() throws IOException {
        Path other = old("b");
        watch = new FilesWatch(() -> List.copyOf(files), () -> false, () -> {
            changes.incrementAndGet();
            if (files.size() == 1) {
                files.add(other);
                write(other);
            }
            return true;
        });
        look(2);
        assertThat(changes).hasValue(1);
        look(2);
        assertThat(changes).hasValue(2);
        look(3);
        assertThat(changes).hasValue(2);
    }

    @Test
    void whatDoesNotAnswerIsNoChangeUntilItDoes() throws Exception {
        Path other = old("b");
        look(1);
        files.add(other);
        look(2);
        try (HeldFile _ = new HeldFile(files.getFirst())) {
            look(3);
            assertThat(changes).hasValue(0);
            Files.writeString(files.getFirst(), "12");
            Files.writeString(other, "12");
            look(2);
            assertThat(changes).as("of the other one").hasValue(1);
            look(3);
            assertThat(changes).hasValue(1);
        }
        awaitAnswer(files.getFirst());
        look(2);
        assertThat(changes).hasValue(2);
        look(3);
        assertThat(changes).hasValue(2);
    }

    @Test
    void whatHasNeverAnsweredIsAChangeOnceItDoes() throws Exception {
        Path other = old("b");
        try (HeldFile _ = new HeldFile(other)) {
            files.add(other);
            look(3);
            assertThat(changes).hasValue(0);
        }
        awaitAnswer(other);
        look(2);
        assertThat(changes).as("it may have been written since it was read").hasValue(1);
        look(3);
        assertThat(changes).hasValue(1);
    }

    @Test
    void whereOneHasNotAnsweredTheyAreReadAgainOnceAllDo() throws Exception {
        answered = false;
        Files.writeString(files.getFirst(), "12");
        try (HeldFile _ = new HeldFile(old("b"))) {
            files.add(folder.resolve("b"));
            look(2);
            assertThat(changes).hasValue(1);
            look(3);
            assertThat(changes).as("it would be in vain").hasValue(1);
            files.removeLast();
        }
        look(1);
        assertThat(changes).hasValue(2);
        answered = true;
        look(2);
        assertThat(changes).hasValue(3);
        look(3);
        assertThat(changes).as("all have answered").hasValue(3);
    }

    /** Whoever looks at it has an answer at once; whoever reads it hasn't. */
    @Test
    void whatIsSlowToBeReadIsReadAgainEverMoreSeldom() throws Exception {
        answered = false;
        Files.writeString(files.getFirst(), "12");
        look(2);
        assertThat(changes).hasValue(1);
        look(1 + 2 + 4 + 8 + 16 + 32);
        assertThat(changes).hasValue(7);
        look(2 * FilesWatch.LONGEST_PAUSE);
        assertThat(changes).hasValue(9);

        Files.writeString(files.getFirst(), "123");
        look(2);
        assertThat(changes).as("it has changed").hasValue(10);
        look(1);
        assertThat(changes).hasValue(11);
    }

    @Test
    void whatIsToBeReadIsOnceAllAnswer() throws Exception {
        try (HeldFile _ = new HeldFile(files.getFirst())) {
            toBeRead.set(true);
            look(2);
            assertThat(changes).as("it would be in vain").hasValue(0);
        }
        awaitAnswer(files.getFirst());
        look(2);
        assertThat(changes).hasValue(1);
        look(3);
        assertThat(changes).as("once").hasValue(1);
    }

    private boolean told() {
        changes.incrementAndGet();
        return answered;
    }

    private static void awaitAnswer(Path file) {
        Await.until("it answers", () -> {
            try {
                return FileAnswers.<Boolean>of(file, reading -> true);
            } catch (IOException e) {
                return false;
            }
        });
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, "12");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file that was written long ago. */
    private Path old(String name) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "1");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        awaitLaterThan(FileTime.from(Instant.now()));
        return file;
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look();
        }
    }
}
