package net.oooops.sigma.plugins.authentication;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lane of an executor's threads: of what goes by it only so many run at once, and the others wait here, without a thread. How many wait is for the
 * caller to bound. Safe for use from any thread.
 */
public final class Lane implements Executor {
    private final Executor threads;
    private final int runningMax;
    private final AtomicInteger running = new AtomicInteger();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /** @param runningMax how many run at once */
    public Lane(Executor threads, int runningMax) {
        this.threads = threads;
        this.runningMax = runningMax;
    }

    /**
     * Where the threads don't take it, what they threw is thrown, and it isn't run.
     *
     * @param work doesn't throw
     */
    @Override
    public void execute(Runnable work) {
        waiting.add(work);
        if (!enter()) {
            return;
        }
        try {
            threads.execute(this::drain);
        } catch (RuntimeException | Error e) {
            running.decrementAndGet();
            if (waiting.remove(work)) {
                throw e;
            }
        }
    }

    private boolean enter() {
        int now = running.get();
        while (now < runningMax) {
            if (running.compareAndSet(now, now + 1)) {
                return true;
            }
            now = running.get();
        }
        return false;
    }

    /** One thread does what waits, one after the other. */
    private void drain() {
        do {
            try {
                Runnable next = waiting.poll();
                while (next != null) {
                    next.run();
                    next = waiting.poll();
                }
            } finally {
                running.decrementAndGet();
            }
        } while (!waiting.isEmpty() && enter());
    }
}
