package net.oooops.sigma.ask;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;
import org.slf4j.LoggerFactory;

/** A thread is told that there is something to do while it looks, sleeps, or waits in the middle of a look. */
final class LookingThreadRaces {
    private LookingThreadRaces() {}

    /** Else what was said lies there for as long as it sleeps. */
    @Race
    static void whatIsSaidIsLookedAt() throws InterruptedException {
        AtomicInteger said = new AtomicInteger();
        CountDownLatch seen = new CountDownLatch(1);
        Semaphore busy = new Semaphore(1);
        LookingThread thread = new LookingThread("looking", LoggerFactory.getLogger(LookingThread.class), () -> {
            if (said.get() == 2) {
                seen.countDown();
            }
            // What a look waits for takes the permit that wakes it.
            busy.acquireUninterruptibly();
            busy.release();
            return Duration.ofDays(1);
        });
        thread.start();
        AtOnce.run(
                () -> {
                    busy.acquireUninterruptibly();
                    said.incrementAndGet();
                    thread.wake();
                    busy.release();
                },
                () -> {
                    said.incrementAndGet();
                    thread.wake();
                });
        seen.await();
        thread.closeAfterLook();
    }
}
