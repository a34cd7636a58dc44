package net.oooops.sigma.ask;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * A thread that looks again and again what is due, until it is closed. Nothing that a look fails with ends it, be it an error of the JVM's: that is
 * said, once in a while, and the next look comes in its time.
 *
 * <p>{@link #start}, {@link #wake}, {@link #closeAfterLook} and {@link #close}: any thread.
 */
public final class LookingThread implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** What fails with each look is said again after as long. */
    private static final long SAY_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Logger log;
    private final Look look;
    private final Thread thread;
    private volatile boolean closed;
    /** Since the last look began. The permit alone wouldn't do: a look that waits for something takes it. */
    private volatile boolean woken;

    private long failuresUnsaid;
    private long saidNanos;
    private boolean said;

    /** What it does. */
    public interface Look {
        /**
         * Does what is due.
         *
         * @return after how long it is to be called again, unless it is woken before
         * @throws InterruptedException where the thread is closed meanwhile
         * @throws Exception where it fails otherwise, which is said
         */
        Duration look() throws Exception;
    }

    /**
     * One that isn't started yet.
     *
     * @param name of the thread
     * @param log where failures are said
     */
    public LookingThread(String name, Logger log, Look look) {
        this(Thread.ofPlatform().daemon().name(name), log, look);
    }

    /**
     * One that isn't started yet.
     *
     * @param builder makes the thread, which has a name
     * @param log where failures are said
     */
    public LookingThread(Thread.Builder builder, Logger log, Look look) {
        this.log = log;
        this.look = look;
        this.thread = builder.unstarted(this::run);
    }

    /** Looks from now on. */
    public void start() {
        thread.start();
    }

    /** Looks once more, soon. */
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            Duration pause = AFTER_FAILURE;
            woken = false;
            try {
                pause = look.look();
            } catch (InterruptedException e) {
                return;
            } catch (Exception | Error e) {
                failed(e);
            }
            if (!woken) {
                LockSupport.parkNanos(this, pause.toNanos());
            }
        }
    }

    private void failed(Throwable why) {
        long now = System.nanoTime();
        failuresUnsaid++;
        if (said && now - saidNanos < SAY_AGAIN_NANOS) {
            return;
        }
        said = true;
        saidNanos = now;
        try {
            log.error(
                    "{}: what is due could not be done, {} times since this was last said; it is tried again",
                    thread.getName(),
                    failuresUnsaid,
                    why);
            failuresUnsaid = 0;
        } catch (RuntimeException | Error e) {
            // No memory for that, either.
            said = false;
        }
    }

    /** Ends it after the look that is under way, and doesn't wait for that. */
    public void closeAfterLook() {
        closed = true;
        wake();
    }

    /** Ends it, in the middle of a look, too, and doesn't wait for that. */
    public void interrupt() {
        closed = true;
        if (thread.getState() != Thread.State.NEW) {
            thread.interrupt();
        }
    }

    /** Ends it, in the middle of a look, too, where that waits. Of no effect on one that was never started. */
    @Override
    public void close() {
        closed = true;
        if (thread.getState() == Thread.State.NEW) {
            return;
        }
        thread.interrupt();
        try {
            thread.join(CLOSE_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
