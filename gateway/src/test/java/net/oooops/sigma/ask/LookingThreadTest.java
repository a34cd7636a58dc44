package net.oooops.sigma.ask;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** What looks goes on looking, whatever happens. */
@Isolated("the log")
@Timeout(30)
class LookingThreadTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    @Test
    void noErrorEndsItAndOneIsSaid() {
        AtomicInteger looks = new AtomicInteger();
        try (LoggedLines log = new LoggedLines(LookingThread.class);
                LookingThread thread =
                        new LookingThread("test-looks", LoggerFactory.getLogger(LookingThread.class), () -> {
                            looks.incrementAndGet();
                            throw new StackOverflowError();
                        })) {
            thread.start();
            Await.until("it looks again, by itself", () -> looks.get() >= 3);
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().getFirst()).startsWith("ERROR test-looks: what is due could not be done");
        }
    }

    @Test
    void itLooksWhenItIsWokenAndNotBefore() throws Exception {
        Semaphore looks = new Semaphore(0);
        try (LookingThread thread =
                new LookingThread("test-looks", LoggerFactory.getLogger(LookingThread.class), () -> {
                    looks.release();
                    return LONG;
                })) {
            thread.start();
            assertThat(looks.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            thread.wake();
            assertThat(looks.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            assertThat(looks.tryAcquire()).isFalse();
        }
    }

    @Test
    void itEndsAfterALookThatIsNotWaitedFor() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Thread> ended = new CompletableFuture<>();
        LookingThread thread = new LookingThread("test-looks", LoggerFactory.getLogger(LookingThread.class), () -> {
            begun.countDown();
            go.await();
            ended.complete(Thread.currentThread());
            return Duration.ZERO;
        });
        thread.start();
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        thread.closeAfterLook();
        go.countDown();
        assertThat(ended.get(10, TimeUnit.SECONDS).join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void itEndsInTheMiddleOfALook() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        LookingThread thread = new LookingThread("test-looks", LoggerFactory.getLogger(LookingThread.class), () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
                return LONG;
            } finally {
                ended.countDown();
            }
        });
        thread.start();
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        thread.close();
        assertThat(ended.getCount()).isZero();
    }
}
