package net.oooops.sigma.plugins.staticresources;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that look at a folder: made where there is something to look at, and ended where there hasn't been for a while. Threads of the
 * system's, and few: one that a slow disk holds keeps no one but those that ask for files of this folder.
 */
final class Lookers implements Executor, AutoCloseable {
    private static final int WAITING_MAX = 1024;
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;

    Lookers(int count) {
        threads = new ThreadPoolExecutor(
                count,
                count,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING_MAX),
                Thread.ofPlatform().name("static-resources-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /** @throws java.util.concurrent.RejectedExecutionException where too many wait */
    @Override
    public void execute(Runnable look) {
        threads.execute(look);
    }

    /** No exchange waits any more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
