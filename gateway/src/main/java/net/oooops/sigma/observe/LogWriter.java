package net.oooops.sigma.observe;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the chunks of all lanes to the sink, on a thread of its own. What can't be written stays where it is and is tried again a
 * second later, whatever it failed with, such as for want of memory; errors and dropped lines are logged at most each ten seconds, and at the end all
 * that were lost.
 */
final class LogWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** How often it is looked whether Workers have ended. */
    private static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LogSink sink;
    private final String name;
    private final List<LogLane> lanes = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile long endNanos;
    private volatile boolean ending;
    private volatile long errors;
    /** Those that no Worker has counted yet. */
    private final AtomicLong uncounted = new AtomicLong();
    /** Those of lanes that are gone. */
    private volatile long droppedBefore;

    private long reportNanos = System.nanoTime() - REPORT_NANOS;
    private long errorsReported;
    private long droppedReported;
    private @Nullable Throwable lastFailure;

    /** A writer to that sink, whose name is for messages; its thread is made but not started. */
    LogWriter(LogSink sink, String name) {
        this.sink = sink;
        this.name = name;
        this.thread = Thread.ofPlatform().daemon().name("sigma-access-log").unstarted(this);
    }

    /** The thread that runs this. */
    Thread thread() {
        return thread;
    }

    /** Has that lane written from now on. From any thread. */
    void add(LogLane lane) {
        lanes.add(lane);
    }

    /** There is something to do. From any thread; never waits. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * Has this end when all lanes are closed and written, or after that time. From any thread that may wait.
     *
     * @return whether it ended
     */
    boolean end(long afterNanos) throws InterruptedException {
        endNanos = System.nanoTime() + afterNanos;
        ending = true;
        wake();
        return thread.join(Duration.ofNanos(afterNanos + RETRY_NANOS));
    }

    /** How many lines were lost, once no line follows: dropped, or taken and not written. From any thread. */
    long linesLost() {
        long lost = dropped();
        for (LogLane lane : lanes) {
            lost += lane.linesUnwritten();
        }
        return lost;
    }

    private long dropped() {
        long dropped = droppedBefore;
        for (LogLane lane : lanes) {
            dropped += lane.linesDropped();
        }
        return dropped;
    }

    /** How often the sink failed. From any thread. */
    long errors() {
        return errors;
    }

    /** How often it has failed since this was asked, by whichever Worker. From any thread. */
    long takeUncounted() {
        return uncounted.get() == 0 ? 0 : uncounted.getAndSet(0);
    }

    @Override
    public void run() {
        boolean more = true;
        while (more) {
            long now = System.nanoTime();
            boolean drained = drain();
            boolean failed = !keepBooks(now) || !drained;
            more = !ending || (!isDone() && now - endNanos < 0);
            if (more) {
                await(failed);
            }
        }
        try {
            sayLost();
        } finally {
            closeSink();
        }
    }

    /** After a failure nothing but time and the end matter: Workers that wake this don't mend the disk. */
    private void await(boolean failed) {
        boolean endingBefore = ending;
        long untilNanos = System.nanoTime() + (endingBefore ? ENDING_NANOS : RETRY_NANOS);
        do {
            LockSupport.parkNanos(this, untilNanos - System.nanoTime());
        } while (failed && ending == endingBefore && untilNanos - System.nanoTime() > 0);
    }

    private boolean drain() {
        for (LogLane lane : lanes) {
            if (!drain(lane)) {
                return false;
            }
        }
        return true;
    }

    private boolean drain(LogLane lane) {
        for (LogLane.Chunk chunk = lane.next(); chunk != null; chunk = lane.next()) {
            try {
                sink.write(chunk.remaining());
            } catch (IOException | RuntimeException | Error e) {
                failed(e);
                return false;
            }
            lane.written(chunk);
            IOException trouble = sink.takeTrouble();
            if (trouble != null) {
                failed(trouble);
            }
        }
        return true;
    }

    /** Lanes that are left are forgotten, and what there is to say is said; whether that went well. */
    private boolean keepBooks(long now) {
        try {
            forgetLeft();
            report(now);
            return true;
        } catch (RuntimeException | Error e) {
            failed(e);
            return false;
        }
    }

    /** Makes nothing new: there may be no memory. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    private void failed(Throwable why) {
        errors++;
        uncounted.incrementAndGet();
        lastFailure = why;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    private void forgetLeft() {
        List<LogLane> left = lanes.stream().filter(LogLane::isLeft).toList();
        for (LogLane lane : left) {
            droppedBefore += lane.linesDropped();
        }
        lanes.removeAll(left);
    }

    private boolean isDone() {
        boolean done = true;
        for (LogLane lane : lanes) {
            // Each is asked: what its Worker left is taken over by that.
            done &= lane.isDone();
        }
        return done;
    }

    private void report(long now) {
        long dropped = dropped();
        boolean changed = errors != errorsReported || dropped != droppedReported;
        if (changed && now - reportNanos >= REPORT_NANOS) {
            if (errors != errorsReported) {
                LOG.error(
                        "access log {}: {} failed writes, the last: {}", name, errors - errorsReported, lastFailure());
            }
            if (dropped != droppedReported) {
                LOG.warn("access log {}: {} lines dropped, too many waited", name, dropped - droppedReported);
            }
            reportNanos = now;
            errorsReported = errors;
            droppedReported = dropped;
        }
    }

    private String lastFailure() {
        return String.valueOf(lastFailure);
    }

    private void sayLost() {
        long lost = linesLost();
        if (lost > 0) {
            LOG.error(
                    "access log {}: {} lines lost in all, {} of them since too many waited{}",
                    name,
                    lost,
                    dropped(),
                    lastFailure == null ? "" : "; the last failure: " + lastFailure());
        }
    }

    private void closeSink() {
        try {
            sink.close();
        } catch (IOException e) {
            LOG.error("access log {}: not closed: {}", name, e.toString());
        }
    }
}
