package net.oooops.sigma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.ask.FileAnswers;

/** A file that somebody has asked in vain, as one of a mount that is stuck, until this is closed: it holds a thread, and isn't asked again. */
public final class HeldFile implements AutoCloseable {
    private final CountDownLatch answers = new CountDownLatch(1);

    /** It is so from now on. */
    public HeldFile(Path file) throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<IOException> failed = new CompletableFuture<>();
        Thread asking = Thread.ofPlatform().daemon().start(() -> {
            try {
                failed.completeExceptionally(new AssertionError("it answers: " + ask(file, asked)));
            } catch (IOException e) {
                failed.complete(e);
            } catch (RuntimeException | Error e) {
                failed.completeExceptionally(e);
            }
        });
        asked.await();
        // Who asks goes, the question stays.
        asking.interrupt();
        assertThat(failed.join()).isInstanceOf(InterruptedIOException.class).hasMessage(file.toString());
    }

    private boolean ask(Path file, CountDownLatch asked) throws IOException {
        return FileAnswers.<Boolean>of(file, reading -> {
            asked.countDown();
            await(answers);
            return true;
        });
    }

    /** As in the kernel, which no interruption ends. */
    public static void await(CountDownLatch until) {
        boolean over = false;
        while (!over) {
            try {
                until.await();
                over = true;
            } catch (InterruptedException e) {
                over = false;
            }
        }
    }

    /** It answers. */
    @Override
    public void close() {
        answers.countDown();
    }
}
