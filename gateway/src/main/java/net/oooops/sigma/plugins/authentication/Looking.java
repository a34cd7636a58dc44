package net.oooops.sigma.plugins.authentication;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * A thread that looks every so often, until it is closed. Nothing that a look fails with ends it, be it an error of the JVM's: that is said, and the
 * next look comes in its time. Safe for use from any thread.
 */
public final class Looking implements Executor, AutoCloseable {
    private final ScheduledThreadPoolExecutor thread;

    private Looking(ScheduledThreadPoolExecutor thread) {
        this.thread = thread;
    }

    /**
     * Begins to look, at once and then again.
     *
     * @param name of the thread
     * @param everyMillis between the end of a look and the next
     * @param log where failures are said
     */
    public static Looking begin(String name, long everyMillis, Logger log, Runnable look) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name).factory());
        thread.scheduleWithFixedDelay(() -> survive(name, log, look), 0, everyMillis, TimeUnit.MILLISECONDS);
        return new Looking(thread);
    }

    private static void survive(String name, Logger log, Runnable look) {
        try {
            look.run();
        } catch (RuntimeException | Error e) {
            say(name, log, e);
        }
    }

    private static void say(String name, Logger log, Throwable failure) {
        try {
            log.error("{}: a look failed; it is tried again", name, failure);
        } catch (RuntimeException | Error e) {
            // No memory for that, either.
        }
    }

    /**
     * Has that done by the thread, between two looks.
     *
     * @throws java.util.concurrent.RejectedExecutionException once it is closed
     */
    @Override
    public void execute(Runnable work) {
        thread.execute(work);
    }

    /** Looks no longer. Doesn't wait for a look that is under way, but interrupts it. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
