package net.oooops.sigma.ask;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(30)
@Isolated("the log")
class FileAnswersTest {
    private static final Path STUCK = Path.of("/mnt/stuck/a.json");
    private static final long LIMIT_MILLIS = 1000;

    private final FileAnswers answers = new FileAnswers(Duration.ofMillis(LIMIT_MILLIS), 2);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void whatIsThereIsRead() throws Exception {
        Path file = Files.writeString(folder.resolve("a"), "abc");
        assertThat(answers.<byte[]>answer(file, reading -> reading.bytes(file, 2)))
                .isEqualTo("ab".getBytes(UTF_8));
        assertThat(answers.<byte[]>answer(file, reading -> reading.bytes(file, 9)))
                .isEqualTo("abc".getBytes(UTF_8));
    }

    @Test
    void whatGoesWrongIsThrownAsItIs() {
        Path file = folder.resolve("a");
        assertThatThrownBy(() -> answers.<byte[]>answer(file, reading -> reading.bytes(file, 2)))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> answers.answer(file, reading -> {
                    throw new IllegalStateException("as it happens");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    /** As one that waits in the kernel, which no interruption ends. */
    @Test
    void whatDoesNotAnswerIsSaidAndHoldsNoMoreThanSoManyThreads() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (LoggedLines log = new LoggedLines(FileAnswers.class)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> answers.answer(STUCK, reading -> held(answered)))
                        .isInstanceOf(FileAnswers.Unanswered.class)
                        .hasMessage("/mnt/stuck/a.json: hasn't answered within 1 s");
            }
            assertThat(log.lines())
                    .last()
                    .isEqualTo("WARN /mnt/stuck/a.json: hasn't answered within 1 s;"
                            + " 2 of 2 threads for files are at work, or held by such");
        }
        long before = System.nanoTime();
        assertThatThrownBy(() -> answers.answer(STUCK, reading -> held(answered)))
                .isInstanceOf(FileAnswers.Unanswered.class)
                .hasMessage("/mnt/stuck/a.json: not asked, as 2 files haven't answered yet");
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS));

        answered.countDown();
        Await.until("free", () -> answers.activeCount() == 0);
        assertThat(answers.<Boolean>answer(STUCK, reading -> true)).isTrue();
    }

    private static boolean held(CountDownLatch until) {
        boolean over = false;
        while (!over) {
            try {
                until.await();
                over = true;
            } catch (InterruptedException e) {
                over = false;
            }
        }
        return true;
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aThreadThatCanBeHadBackIs() throws Exception {
        Path pipe = pipe();
        // Open for both: so opening it doesn't wait, and nothing is ever read.
        try (var _ = new RandomAccessFile(pipe.toFile(), "rw")) {
            assertThatThrownBy(() -> answers.<byte[]>answer(pipe, reading -> reading.bytes(pipe, 1)))
                    .isInstanceOf(FileAnswers.Unanswered.class);
            Await.until("free", () -> answers.activeCount() == 0);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void whatComesPieceByPieceMayTakeItsTime() throws Exception {
        Path pipe = pipe();
        Thread writer = Thread.ofPlatform().daemon().start(() -> write(pipe));
        byte[] read = answers.answer(pipe, reading -> reading.bytes(pipe, 9));
        assertThat(read).isEqualTo("123456".getBytes(UTF_8));
        writer.join();
    }

    /** For longer than the limit, in all. */
    private static void write(Path pipe) {
        try (OutputStream out = Files.newOutputStream(pipe)) {
            for (int i = 1; i <= 6; i++) {
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS / 4);
                Await.until("the next piece is due", () -> System.nanoTime() > until);
                out.write('0' + i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path pipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }
}
