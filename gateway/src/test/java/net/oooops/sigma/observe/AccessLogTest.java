package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.AccessLogConfig.Format;
import net.oooops.sigma.config.LogTemplate;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AccessLogTest {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final RefusalNames NO_REASONS = RefusalNames.NONE;

    /** Keeps what is written; may be made to wait, and to fail after a part of a chunk. */
    private static final class Kept implements LogSink {
        final CountDownLatch open;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private int failuresLeft;
        private volatile long bytes;
        private volatile boolean closed;

        Kept(boolean stalled, int failures) {
            open = new CountDownLatch(stalled ? 1 : 0);
            failuresLeft = failures;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
        public void write(ByteBuffer chunk) throws IOException {
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            int length = failuresLeft > 0 ? chunk.remaining() / 2 : chunk.remaining();
            byte[] part = new byte[length];
            chunk.get(part);
            written.writeBytes(part);
            bytes += length;
            if (failuresLeft > 0) {
                failuresLeft--;
                throw new IOException("disk full");
            }
        }

        @Override
        public void close() {
            closed = true;
        }

        List<String> lines() {
            return written.toString(StandardCharsets.ISO_8859_1).lines().toList();
        }
    }

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    static List<Format> formats() {
        return List.of(Format.COMBINED, Format.JSON, LogTemplate.parse(LineFormatTest.EACH_FACT));
    }

    private static AccessLogConfig config(Format format, int queueLinesMax) {
        return new AccessLogConfig(format, "test", queueLinesMax);
    }

    private static void append(AccessLog.Appender appender, int from, int count) {
        TestRecord ended = new TestRecord();
        for (int i = from; i < from + count; i++) {
            ended.bodyBytesSent = i;
            appender.append(ended);
        }
    }

    private static long count(WorkerCounters counters, Counter counter) {
        return new CountersView(List.of(counters)).snapshot().count(counter);
    }

    private static List<Integer> numbers(List<String> lines) {
        return lines.stream()
                .map(line -> Integer.valueOf(line.split(" ", -1)[9]))
                .toList();
    }

    private static List<Integer> upTo(int count) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    @Test
    void closingWritesWhatWasAppended() {
        Kept kept = new Kept(false, 0);
        AccessLog log = new AccessLog(config(Format.COMBINED, 100_000), 1, kept);
        AccessLog.Appender appender = log.appender(new WorkerCounters(NO_REASONS));
        append(appender, 0, 10_000);
        appender.close();
        log.close();

        assertThat(numbers(kept.lines())).isEqualTo(upTo(10_000));
        assertThat(kept.closed).isTrue();
        assertThat(log.writeErrors()).isZero();
    }

    @Test
    void closingWritesWhatAWorkerLeftWhoseThreadHasEnded() throws InterruptedException {
        Kept kept = new Kept(false, 0);
        AccessLog log = new AccessLog(config(Format.COMBINED, 1000), 2, kept);
        AccessLog.Appender appender = log.appender(new WorkerCounters(NO_REASONS));
        log.appender(new WorkerCounters(NO_REASONS));
        Thread worker = Thread.ofPlatform().start(() -> append(appender, 0, 3));
        worker.join();
        log.close();

        assertThat(numbers(kept.lines())).containsExactly(0, 1, 2);
    }

    @Test
    void fewLinesAreWrittenOnceASecond() {
        Kept kept = new Kept(false, 0);
        try (AccessLog log = new AccessLog(config(Format.COMBINED, 1000), 1, kept);
                AccessLog.Appender appender = log.appender(new WorkerCounters(NO_REASONS))) {
            appender.flushIfDue(0);
            append(appender, 0, 1);
            appender.flushIfDue(SECOND_NANOS - 1);
            append(appender, 1, 1);
            appender.flushIfDue(SECOND_NANOS);
            Await.until("two lines written", () -> kept.bytes > 0);
        }
        assertThat(numbers(kept.lines())).containsExactly(0, 1);
    }

    @Test
    void whatAStalledWriterHasNoRoomForIsDroppedAndCounted() {
        Kept kept = new Kept(true, 0);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        AccessLog log = new AccessLog(config(Format.COMBINED, 2000), 2, kept);
        AccessLog.Appender appender = log.appender(counters);
        append(appender, 0, 700);
        appender.flushIfDue(0);
        append(appender, 700, 4300);
        assertThat(count(counters, Counter.ACCESS_LOG_LINES)).isEqualTo(1000);
        assertThat(count(counters, Counter.ACCESS_LOG_LINES_DROPPED)).isEqualTo(4000);

        kept.open.countDown();
        appender.close();
        append(appender, 5000, 1);
        log.close();
        assertThat(numbers(kept.lines())).isEqualTo(upTo(1000));
        assertThat(count(counters, Counter.ACCESS_LOG_LINES_DROPPED)).isEqualTo(4001);
    }

    @Test
    void linesAreTakenAgainOnceTheWriterGoesOn() {
        Kept kept = new Kept(true, 0);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        try (AccessLog log = new AccessLog(config(Format.COMBINED, 16), 1, kept);
                AccessLog.Appender appender = log.appender(counters)) {
            append(appender, 0, 20);
            assertThat(count(counters, Counter.ACCESS_LOG_LINES_DROPPED)).isEqualTo(4);
            kept.open.countDown();
            Await.until("a line is taken", () -> {
                append(appender, 16, 1);
                return count(counters, Counter.ACCESS_LOG_LINES) > 16;
            });
        }
        assertThat(numbers(kept.lines())).isEqualTo(upTo(17));
    }

    @Test
    void fewLinesMayWaitAndStillNoneIsDropped() {
        Kept kept = new Kept(false, 0);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        try (AccessLog log = new AccessLog(config(Format.COMBINED, 1), 1, kept);
                AccessLog.Appender appender = log.appender(counters)) {
            for (int i = 0; i < 100; i++) {
                long before = kept.bytes;
                append(appender, i, 1);
                Await.until("the line is written", () -> kept.bytes > before);
                Await.until("and its place is free", () -> appender.isOpenForLine());
            }
        }
        assertThat(count(counters, Counter.ACCESS_LOG_LINES_DROPPED)).isZero();
        assertThat(numbers(kept.lines())).isEqualTo(upTo(100));
    }

    @Test
    void longLinesAreBoundedByTheirBytes() {
        Kept kept = new Kept(true, 0);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        AccessLog log = new AccessLog(config(Format.COMBINED, 10_000), 1, kept);
        AccessLog.Appender appender = log.appender(counters);
        TestRecord ended = new TestRecord();
        ended.requestLine = new byte[LineFormat.REQUEST_LINE_BYTES_MAX];
        for (int i = 0; i < 10_000; i++) {
            appender.append(ended);
        }
        long taken = count(counters, Counter.ACCESS_LOG_LINES);
        assertThat(taken * 4 * LineFormat.REQUEST_LINE_BYTES_MAX)
                .isBetween(5_000L * AccessLog.WAITING_BYTES_PER_LINE, 15_000L * AccessLog.WAITING_BYTES_PER_LINE);
        assertThat(count(counters, Counter.ACCESS_LOG_LINES_DROPPED)).isEqualTo(10_000 - taken);

        kept.open.countDown();
        appender.close();
        log.close();
        assertThat(kept.lines()).hasSize((int) taken);
    }

    @Test
    void whatCouldNotBeWrittenIsTriedAgainFromWhereItStopped() {
        Kept kept = new Kept(false, 2);
        AccessLog log = new AccessLog(config(Format.COMBINED, 1000), 1, kept);
        AccessLog.Appender appender = log.appender(new WorkerCounters(NO_REASONS));
        append(appender, 0, 10);
        appender.close();
        log.close();

        assertThat(log.writeErrors()).isEqualTo(2);
        assertThat(numbers(kept.lines())).isEqualTo(upTo(10));
    }

    @Test
    void whatCouldNotBeWrittenIsCountedOnce() {
        Kept kept = new Kept(false, 2);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        AccessLog log = new AccessLog(config(Format.COMBINED, 1000), 1, kept);
        AccessLog.Appender appender = log.appender(counters);
        append(appender, 0, 10);
        appender.close();
        log.close();
        appender.flushIfDue(0);
        appender.flushIfDue(1);
        assertThat(new CountersView(List.of(counters)).snapshot().count(Counter.ACCESS_LOG_WRITES_FAILED))
                .isEqualTo(2);
    }

    @Test
    void underLoadEveryLineTakenIsInTheFileWholeAndInOrder() throws Exception {
        Path file = dir.resolve("access.log");
        int lines = 100_000;
        AccessLog log = AccessLog.open(new AccessLogConfig(Format.COMBINED, file.toString(), 4 * lines), 2);
        List<WorkerCounters> counters = List.of(new WorkerCounters(NO_REASONS), new WorkerCounters(NO_REASONS));
        List<Thread> workers = new ArrayList<>();
        for (int worker = 0; worker < 2; worker++) {
            AccessLog.Appender appender = log.appender(counters.get(worker));
            int status = 200 + worker;
            workers.add(Thread.ofPlatform().start(() -> {
                TestRecord ended = new TestRecord();
                ended.status = status;
                for (int i = 0; i < lines; i++) {
                    ended.bodyBytesSent = i;
                    appender.append(ended);
                }
            }));
        }
        for (Thread worker : workers) {
            worker.join();
        }
        log.close();

        Counters counted = new CountersView(counters).snapshot();
        assertThat(counted.count(Counter.ACCESS_LOG_LINES)).isEqualTo(2L * lines);
        assertThat(counted.count(Counter.ACCESS_LOG_LINES_DROPPED)).isZero();
        int[] next = new int[2];
        for (String line : Files.readAllLines(file)) {
            int worker = line.contains("\" 200 ") ? 0 : 1;
            assertThat(line).endsWith("\" " + (200 + worker) + " " + next[worker] + " \"-\" \"-\" -");
            next[worker]++;
        }
        assertThat(next).containsExactly(lines, lines);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void aLineAllocatesNothing(Format format) {
        int lines = 200_000;
        Kept kept = new Kept(true, 0);
        WorkerCounters counters = new WorkerCounters(NO_REASONS);
        AccessLog log = new AccessLog(config(format, 4096), 1, new Discarding(kept));
        AccessLog.Appender appender = log.appender(counters);
        TestRecord ended =
                new TestRecord().with("User-Agent", "curl/8.5.0 \"\u00ff").with("Referer", "http://a/");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // Until all chunks are made.
        append(appender, ended, lines);
        kept.open.countDown();
        append(appender, ended, lines);
        long takenBefore = count(counters, Counter.ACCESS_LOG_LINES);
        Await.until("lines are written", appender::isOpenForLine);
        long allocatedBytes = 0;
        int rounds = 0;
        // More than fit the queue: its buffers are used again. On a busy machine that takes the writer some time.
        while (count(counters, Counter.ACCESS_LOG_LINES) - takenBefore <= 4096) {
            long before = threads.getCurrentThreadAllocatedBytes();
            append(appender, ended, lines);
            allocatedBytes += threads.getCurrentThreadAllocatedBytes() - before;
            rounds++;
            if (rounds == 100) {
                break;
            }
        }

        // Before anything is judged: what is left open is counted by others.
        appender.close();
        log.close();
        // For the 20 seconds that pass on the clock of a round's lines.
        assertThat(rounds).isLessThan(100);
        assertThat(allocatedBytes).isLessThan(rounds * 20_000L);
    }

    /** Takes all and keeps nothing. */
    private record Discarding(Kept gate) implements LogSink {
        @Override
        public void write(ByteBuffer chunk) throws IOException {
            gate.write(ByteBuffer.allocate(0));
            chunk.position(chunk.limit());
        }

        @Override
        public void close() {
            gate.close();
        }
    }

    private static void append(AccessLog.Appender appender, TestRecord ended, int count) {
        for (int i = 0; i < count; i++) {
            if (i % 10_000 == 0) {
                ended.wallMillis += 1000;
            }
            appender.append(ended);
        }
    }

    @Test
    void aFileThatCanNotBeOpenedIsNamed() {
        String missing = dir.resolve("missing/access.log").toString();
        assertThatThrownBy(() -> AccessLog.open(new AccessLogConfig(Format.JSON, missing, 16), 1))
                .isInstanceOf(IOException.class)
                .hasMessage(missing + ": NoSuchFileException (expected: a file that can be opened for appending)");
        assertThatThrownBy(() -> AccessLog.open(new AccessLogConfig(Format.JSON, "a\0b", 16), 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("(expected: the name of a file)");
    }
}
