package net.oooops.sigma.control;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.Worker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log of a gateway, as the configuration that holds says: where that is another file, or there is none any more, Workers leave the one before, each between
 * two lines, and it is closed when the last line of the last of them is written.
 *
 * <p>Any thread, one at a time, but no event loop; {@link #prepare} and {@link #close} block.
 */
final class AccessLogs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLogs.class);
    /** A little longer than a log takes to close whose file takes no lines. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(8);

    private final int workerCount;
    /** By the numbers of Workers. */
    private final List<WorkerCounters> counters = new ArrayList<>();

    private @Nullable AccessLog log;
    private @Nullable AccessLog next;
    private List<Leaving> leaving = List.of();

    /** A log that Workers leave. */
    private record Leaving(AccessLog log, CompletableFuture<Void> closed) {}

    /** Has Workers write somewhere else. */
    interface Handover {
        /**
         * Lines of that Worker go there from now on.
         *
         * @param to where; null: nowhere
         * @return done when its last line has gone where they went before, and that appender is closed
         */
        CompletableFuture<Void> follow(int worker, AccessLog.@Nullable Appender to);

        /** On their event loops, by their numbers. */
        static Handover to(List<Worker> workers) {
            return (number, appender) -> CompletableFuture.runAsync(
                    () -> workers.get(number).follow(appender),
                    workers.get(number).eventLoop());
        }
    }

    private AccessLogs(int workerCount) {
        this.workerCount = workerCount;
    }

    /**
     * Opens the one that there is at first.
     *
     * @param config null: none
     * @throws StartException where its file can't be opened
     */
    static AccessLogs open(@Nullable AccessLogConfig config, int workerCount) throws StartException {
        AccessLogs logs = new AccessLogs(workerCount);
        logs.prepare(config);
        logs.log = logs.next;
        logs.next = null;
        return logs;
    }

    /**
     * Where the lines of the next Worker go at first; null: nowhere. To be asked once for each, in the order of their numbers.
     *
     * @param of what that Worker counts
     */
    AccessLog.@Nullable Appender appender(WorkerCounters of) {
        counters.add(of);
        return log == null ? null : log.appender(of);
    }

    /**
     * Opens what that says, where it is another file than that of now. To be followed by {@link #follow} or {@link #abandon}.
     *
     * @throws StartException where it can't be opened
     */
    void prepare(@Nullable AccessLogConfig config) throws StartException {
        abandon();
        if (config == null || isOpen(config)) {
            return;
        }
        // It may be the file that they write.
        awaitLeft();
        try {
            next = AccessLog.open(config, workerCount);
        } catch (IOException e) {
            throw new StartException("plugins.log-config: " + e.getMessage(), e);
        }
    }

    private boolean isOpen(AccessLogConfig config) {
        AccessLog there = log;
        return there != null && there.config().file().equals(config.file());
    }

    /** What was made ready isn't needed. */
    void abandon() {
        AccessLog unneeded = next;
        next = null;
        if (unneeded != null) {
            unneeded.close();
        }
    }

    /** Has Workers write what that says from now on. Returns at once; where it is as it was, nothing is done. */
    void follow(@Nullable AccessLogConfig config, Handover handover) {
        AccessLog before = log;
        if (config == null ? before == null : before != null && before.config().equals(config)) {
            return;
        }
        AccessLog now = config == null ? null : isOpen(config) ? before : next;
        next = null;
        if (now != null && config != null) {
            now.become(config);
        }
        List<CompletableFuture<Void>> left = new ArrayList<>();
        for (int i = 0; i < counters.size(); i++) {
            left.add(handedOver(handover, i, now == null ? null : now.appender(counters.get(i))));
        }
        log = now;
        if (before != null && before != now) {
            leave(before, left);
        }
    }

    /** Failed, too, where it can't even be asked. */
    private static CompletableFuture<Void> handedOver(Handover handover, int worker, AccessLog.@Nullable Appender to) {
        try {
            return handover.follow(worker, to);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void leave(AccessLog before, List<CompletableFuture<Void>> left) {
        List<Leaving> still = new ArrayList<>(leaving);
        still.removeIf(each -> each.closed().isDone());
        CompletableFuture<Void> closed = CompletableFuture.allOf(left.toArray(CompletableFuture<?>[]::new))
                .exceptionally(failure -> {
                    LOG.error(
                            "access log {}: lines may be lost while it is left",
                            before.config().file(),
                            failure);
                    return null;
                })
                .thenRunAsync(before::close, Thread::startVirtualThread);
        still.add(new Leaving(before, closed));
        leaving = still;
    }

    private void awaitLeft() {
        CompletableFuture.allOf(leaving.stream().map(Leaving::closed).toArray(CompletableFuture<?>[]::new))
                // Said where it failed.
                .exceptionally(failure -> null)
                .completeOnTimeout(null, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Writes what is left, and closes all: the event loops of the Workers have ended. */
    @Override
    public void close() {
        abandon();
        if (log != null) {
            log.close();
        }
        leaving.stream()
                .filter(each -> !each.closed().isDone())
                .forEach(each -> each.log().close());
    }
}
