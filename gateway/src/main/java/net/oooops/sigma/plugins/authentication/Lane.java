package net.oooops.sigma.plugins.authentication;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lane of an executor's threads: of what goes by it only so many run at once, and the others wait here, without a thread. Each one waits for its turn
 * behind what the threads have got meanwhile, so that what doesn't go by the lane has its turn, too. How many wait is for the caller to bound. Safe for use
 * from any thread.
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
            threads.execute(this::turn);
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

    /** Does one that waits; more of them only where the threads don't take another turn. */
    private void turn() {
        boolean again = true;
        while (again) {
            boolean done = false;
            try {
                Runnable next = waiting.poll();
                if (next != null) {
                    next.run();
                }
                done = true;
            } finally {
                again = !isOver();
                if (again && !done) {
                    running.decrementAndGet();
                }
            }
        }
    }

    /** Whether a turn is over: nothing waits, and its place is free, or the threads have taken the next turn in its place. */
    private boolean isOver() {
        while (waiting.isEmpty()) {
            running.decrementAndGet();
            if (waiting.isEmpty() || !enter()) {
                return true;
            }
        }
        try {
            threads.execute(this::turn);
            return true;
        } catch (RuntimeException | Error e) {
            // Such as where as much waits for them as may.
            return false;
        }
    }
}
