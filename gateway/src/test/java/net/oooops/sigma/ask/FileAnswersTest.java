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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class FileAnswersTest {
    static final Path STUCK = Path.of("/mnt/stuck/a.json");
    static final long LIMIT_MILLIS = 1000;
    /** For what has to come in time, also on a machine that others keep busy. */
    private static final long LONG_MILLIS = 4000;

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

    static void awaitAnswer(FileAnswers answers, Path file) {
        Await.until("it answers", () -> isAnswered(answers, file));
    }

    private static boolean isAnswered(FileAnswers answers, Path file) {
        try {
            return answers.<Boolean>answer(file, reading -> true);
        } catch (IOException e) {
            return false;
        }
    }

    /** They answer soon; nobody is refused for that. */
    @Test
    void whereOthersAreOnlyAtWorkItWaitsForOneOfThem() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> answers.answer(STUCK, reading -> held(never)))
                .isInstanceOf(FileAnswers.Unanswered.class);
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Future<Boolean> first = beside(() -> answers.answer(folder, reading -> {
            atWork.countDown();
            return held(answered);
        }));
        atWork.await();
        Thread asking = Thread.currentThread();
        Thread.ofPlatform().daemon().start(() -> {
            Await.until("the second waits", () -> asking.getState() == Thread.State.TIMED_WAITING);
            answered.countDown();
        });
        assertThat(answers.<Boolean>answer(folder.resolve("b"), reading -> true))
                .isTrue();
        assertThat(first.get()).isTrue();
        never.countDown();
    }

    private static <T> Future<T> beside(Callable<T> what) {
        FutureTask<T> task = new FutureTask<>(what);
        Thread.startVirtualThread(task);
        return task;
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void nobodyWaitsLongerThanTheLimitForThoseAtWork() throws Exception {
        FileAnswers one = new FileAnswers(Duration.ofMillis(LIMIT_MILLIS), 1);
        CountDownLatch atWork = new CountDownLatch(1);
        Future<byte[]> slow = beside(() -> slowly(one, atWork));
        atWork.await();
        assertThatThrownBy(() -> one.answer(folder, reading -> true))
                .isInstanceOf(FileAnswers.Unanswered.class)
                .hasMessage(folder + ": isn't asked, as none of 1 threads for files came free within 1 s");
        assertThat(slow.get()).hasSize(6);
    }

    /** Longer than the limit, with a piece in time each. */
    private byte[] slowly(FileAnswers by, CountDownLatch atWork) throws IOException {
        Path pipe = pipe();
        Thread.ofPlatform().daemon().start(() -> write(pipe, LIMIT_MILLIS / 3));
        return by.answer(pipe, reading -> {
            atWork.countDown();
            return reading.bytes(pipe, 9);
        });
    }

    static boolean held(CountDownLatch until) {
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

    /** Or it would take all threads in the end. */
    @Test
    void whatHasNotAnsweredIsNotAskedOnceMore() throws Exception {
        FileAnswers answers = new FileAnswers(Duration.ofMillis(LIMIT_MILLIS), 16);
        CountDownLatch answered = new CountDownLatch(1);
        assertThatThrownBy(() -> answers.answer(STUCK, reading -> held(answered)))
                .hasMessage("/mnt/stuck/a.json: hasn't answered within 1 s");
        assertThatThrownBy(() -> answers.answer(STUCK, reading -> held(answered)))
                .isInstanceOf(FileAnswers.Unanswered.class)
                .hasMessage("/mnt/stuck/a.json: hasn't answered yet what it was asked before");
        Path link = Files.createSymbolicLink(folder.resolve("link"), STUCK);
        assertThatThrownBy(() -> answers.answer(link, reading -> held(answered)))
                .isInstanceOf(FileAnswers.Unanswered.class)
                .hasMessage(link + ": hasn't answered yet what it was asked before");
        assertThat(answers.<Boolean>answer(folder, reading -> true)).isTrue();

        answered.countDown();
        awaitAnswer(answers, link);
    }

    @Test
    void ofAFolderThatIsStuckNotAllFilesAreAsked() {
        FileAnswers many = new FileAnswers(Duration.ofMillis(LIMIT_MILLIS / 10), 16);
        CountDownLatch answered = new CountDownLatch(1);
        for (int i = 0; i < 10; i++) {
            Path file = STUCK.resolveSibling(i + ".json");
            String why = i < FileAnswers.BESIDE_MAX
                    ? "hasn't answered within 0 s"
                    : "isn't asked, as 3 files beside it haven't answered yet";
            assertThatThrownBy(() -> many.answer(file, reading -> held(answered)))
                    .isInstanceOf(FileAnswers.Unanswered.class)
                    .hasMessage(file + ": " + why);
        }
        answered.countDown();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aThreadThatCanBeHadBackIs() throws Exception {
        Path pipe = pipe();
        // Open for both: so opening it doesn't wait, and nothing is ever read.
        try (var _ = new RandomAccessFile(pipe.toFile(), "rw")) {
            FileAnswers one = new FileAnswers(Duration.ofMillis(LIMIT_MILLIS), 1);
            assertThatThrownBy(() -> one.<byte[]>answer(pipe, reading -> reading.bytes(pipe, 1)))
                    .isInstanceOf(FileAnswers.Unanswered.class);
            awaitAnswer(one, folder);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void whatComesPieceByPieceMayTakeItsTime() throws Exception {
        Path pipe = pipe();
        Thread writer = Thread.ofPlatform().daemon().start(() -> write(pipe, LONG_MILLIS / 4));
        FileAnswers patient = new FileAnswers(Duration.ofMillis(LONG_MILLIS), 2);
        byte[] read = patient.answer(pipe, reading -> reading.bytes(pipe, 9));
        assertThat(read).isEqualTo("123456".getBytes(UTF_8));
        writer.join();
    }

    /** For longer than the limit, in all. */
    private static void write(Path pipe, long pauseMillis) {
        try (OutputStream out = Files.newOutputStream(pipe)) {
            for (int i = 1; i <= 6; i++) {
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
                Await.until("the next piece is due", () -> System.nanoTime() > until);
                out.write('0' + i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path pipe() throws IOException {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString())
                        .start()
                        .onExit()
                        .join()
                        .exitValue())
                .isZero();
        return pipe;
    }
}
