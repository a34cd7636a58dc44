package net.oooops.sigma.testkit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A gate that holds up whoever comes until a test releases it; then it stays open. Usable on any thread. */
public final class Gate {
    private static final Duration WAIT_MAX = Duration.ofMinutes(2);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** A closed gate. */
    public Gate() {}

    /** Opens the gate for all who wait and all who come. */
    public void release() {
        closed.countDown();
    }

    /** Whether it has been opened. */
    public boolean isReleased() {
        return closed.getCount() == 0;
    }

    /** How many wait at it now. */
    public int waiting() {
        return waiting.get();
    }

    /**
     * Waits until the gate is open.
     *
     * @throws AssertionError when it stays closed for two minutes
     * @throws InterruptedException when the waiting thread is interrupted
     */
    public void pass() throws InterruptedException {
        waiting.incrementAndGet();
        try {
            if (!closed.await(WAIT_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("gate: closed for " + WAIT_MAX.toSeconds() + " s (expected: released)");
            }
        } finally {
            waiting.decrementAndGet();
        }
    }
}
