package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.ask.FilePatience;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a start or another command reads: it waits for each as long as it takes, as a mount may still be on its way,
 * and another thread says for which.
 */
final class FilesOfStart implements FilePatience, AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final String who;
    private final CountDownLatch read = new CountDownLatch(1);
    private volatile @Nullable Waiting waiting;

    /** What it waits for. */
    private record Waiting(Path file, long sinceNanos) {
        boolean isLong() {
            return System.nanoTime() - sinceNanos >= FileAnswers.LIMIT.toNanos();
        }
    }

    /** @param who waits for them */
    FilesOfStart(String who) {
        this.who = who;
    }

    /** The same, with a thread of its own that says so until all is read. */
    static FilesOfStart told(String who) {
        FilesOfStart files = new FilesOfStart(who);
        Thread.ofPlatform().daemon().name("sigma-files").start(() -> {
            try {
                files.sayUntilRead();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return files;
    }

    /** The bytes of a file that a word names, of which there may be one more than the most, by which it is known to be too long. */
    byte[] bytes(Path file, int bytesMax) throws IOException {
        return ask(file, reading -> reading.bytes(file, bytesMax + 1));
    }

    @Override
    public <T extends @Nullable Object> T ask(Path file, FileAnswers.Question<T> question) throws IOException {
        waiting = new Waiting(file, System.nanoTime());
        try {
            return FilePatience.ENDLESS.ask(file, question);
        } finally {
            waiting = null;
        }
    }

    /** All that are to be read have been. */
    @Override
    public void close() {
        read.countDown();
    }

    /** Says what is waited for until that is so; for a thread that has nothing else to do. */
    void sayUntilRead() throws InterruptedException {
        Path said = null;
        while (!read.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
            Waiting now = waiting;
            if (now != null && now.isLong() && !Objects.equals(now.file, said)) {
                said = now.file;
                log().warn(
                                "{} waits for {}, which hasn't answered within {} s",
                                who,
                                said,
                                FileAnswers.LIMIT.toSeconds());
            }
        }
    }

    /** Not before it is needed: a start that finds all its files doesn't wait for the log. */
    private static Logger log() {
        return LoggerFactory.getLogger(FilesOfStart.class);
    }
}
