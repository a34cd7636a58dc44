package net.oooops.sigma.observe;

import java.io.IOException;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.LogTemplate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log of one gateway: a line for each exchange, formatted on the Worker's event loop, written by a thread of its own.
 *
 * <p>Each Worker has an {@link Appender}, and another one after {@link #become}. Lines that wait to be written are bounded by
 * {@link AccessLogConfig#queueLinesMax} over all Workers, shared out evenly among them, and by {@value #WAITING_BYTES_PER_LINE}
 * bytes for each of these lines; a line beyond is dropped and counted ({@link Counter#ACCESS_LOG_LINES_DROPPED}), never waited
 * for. Where the file can't be written, lines wait while there is room and are tried again once a second. A file that was moved
 * away is opened anew.
 *
 * <p>{@link #open}, {@link #appender}, {@link #become} and {@link #close} may be called on any thread, one at a time, but not on an event
 * loop.
 */
public final class AccessLog implements AutoCloseable {
    /** How long {@link #close} lets the last lines be written. */
    private static final long CLOSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);
    /** What a usual line needs; with the number of lines it bounds the memory of those that wait. */
    static final int WAITING_BYTES_PER_LINE = 256;

    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private final int appenderCount;
    private final LogWriter writer;
    private AccessLogConfig config;

    AccessLog(AccessLogConfig config, int appenderCount, LogSink sink) {
        this.config = config;
        this.appenderCount = appenderCount;
        this.writer = new LogWriter(sink, config.file());
        writer.thread().start();
    }

    /**
     * Opens the file for appending, makes it where it is missing, and starts the writing thread.
     *
     * @param appenderCount how many Workers there will be
     * @throws IOException where the file can't be opened; its message says which and why
     */
    public static AccessLog open(AccessLogConfig config, int appenderCount) throws IOException {
        LogSink sink = config.file().equals(AccessLogConfig.STDOUT)
                ? LogFile.stdout()
                : LogFile.open(config.file(), System::nanoTime);
        return new AccessLog(config, appenderCount, sink);
    }

    /** What it is like. */
    public AccessLogConfig config() {
        return config;
    }

    /** Is like that from now on, in the same file: appenders that are asked for from now on. Those before stay what they are until they are closed. */
    public void become(AccessLogConfig now) {
        config = now;
    }

    /** A new appender for one Worker, which also counts its lines. */
    public Appender appender(WorkerCounters counters) {
        LogLane lane = new LogLane(Math.max(1, config.queueLinesMax() / appenderCount));
        writer.add(lane);
        return new Appender(format(config.format()), lane, counters, writer);
    }

    private static LineFormat format(AccessLogConfig.Format format) {
        if (format instanceof LogTemplate template) {
            return new TemplateFormat(template, ZoneId.systemDefault());
        }
        return format == AccessLogConfig.Format.JSON ? new JsonFormat() : new CombinedFormat(ZoneId.systemDefault());
    }

    /** How often writing or opening the file failed. From any thread. */
    public long writeErrors() {
        return writer.errors();
    }

    /**
     * Writes what was appended and closes the file. Each {@link Appender} is closed on its event loop, or that loop's thread has ended,
     * before or meanwhile. Waits for at most six seconds; lines that could not be written within five are lost. How many were lost, these
     * and those dropped before, is logged.
     */
    @Override
    public void close() {
        try {
            if (!writer.end(CLOSE_NANOS_MAX)) {
                LOG.warn(
                        "access log {}: still writing after 6 s (expected: a file that takes its lines), {} lines lost in all",
                        config.file(),
                        writer.linesLost());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * One Worker's end of the access log. Called on that Worker's event loop only; nothing here waits, and nothing allocates once
     * its chunks are made.
     */
    public static final class Appender implements AutoCloseable {
        private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);

        private final LineFormat format;
        private final LogLane lane;
        private final WorkerCounters counters;
        private final LogWriter writer;
        private final byte[] line = new byte[LineFormat.LINE_BYTES_MAX];
        private long flushedNanos;
        private boolean flushedOnce;

        Appender(LineFormat format, LogLane lane, WorkerCounters counters, LogWriter writer) {
            this.format = format;
            this.lane = lane;
            this.counters = counters;
            this.writer = writer;
        }

        /** Takes the line for an exchange that ended, or drops it where too many wait. */
        public void append(AccessRecord ended) {
            if (lane.isOpenForLine()) {
                int length = format.write(ended, line);
                if (!lane.hasRoom(length)) {
                    flush();
                }
                if (lane.append(line, length)) {
                    counters.increment(Counter.ACCESS_LOG_LINES);
                    if (lane.isLadenWithLines()) {
                        flush();
                    }
                    return;
                }
            }
            lane.drop();
            counters.increment(Counter.ACCESS_LOG_LINES_DROPPED);
        }

        /**
         * Gives the lines taken so far to the writing thread where the last time was a second ago and it isn't behind. To be called
         * often enough, such as on each tick of the Worker's timer. What has failed since is counted by whoever comes first.
         *
         * @param nowNanos of a monotonic clock
         */
        public void flushIfDue(long nowNanos) {
            long failed = writer.takeUncounted();
            if (failed > 0) {
                counters.add(Counter.ACCESS_LOG_WRITES_FAILED, failed);
            }
            boolean due = !flushedOnce || nowNanos - flushedNanos >= FLUSH_NANOS;
            if (due && !lane.isBehind()) {
                flushedOnce = true;
                flushedNanos = nowNanos;
                flush();
            }
        }

        /** Gives all lines to the writing thread; no more are taken, those that come are dropped and counted. */
        @Override
        public void close() {
            flush();
            lane.close();
            writer.wake();
        }

        /** Whether another line may wait. */
        boolean isOpenForLine() {
            return lane.isOpenForLine();
        }

        private void flush() {
            if (lane.handOver()) {
                writer.wake();
            }
        }
    }
}
