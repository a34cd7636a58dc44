package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Isolated("the log")
class LogWriterTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(AccessLog.class);

    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    @BeforeEach
    void listen() {
        events.start();
        LOG.addAppender(events);
        LOG.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        LOG.detachAppender(events);
        LOG.setAdditive(true);
    }

    private interface Write {
        void write(ByteBuffer chunk) throws IOException;
    }

    private static LogSink sink(Write write) {
        return new LogSink() {
            @Override
            public void write(ByteBuffer chunk) throws IOException {
                write.write(chunk);
            }

            @Override
            public void close() {}
        };
    }

    private static LogWriter started(LogSink sink) {
        LogWriter writer = new LogWriter(sink, "test");
        LogLane lane = new LogLane(2);
        writer.add(lane);
        byte[] line = {'a', '\n'};
        lane.append(line, line.length);
        lane.append(line, line.length);
        lane.drop();
        lane.handOver();
        lane.close();
        writer.thread().start();
        return writer;
    }

    private List<String> messages() {
        return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void whatStaysUnwritableIsGivenUpAndSaidOnce() throws InterruptedException {
        LogWriter writer = started(sink(chunk -> {
            throw new IOException("disk full");
        }));
        assertThat(writer.end(TimeUnit.MILLISECONDS.toNanos(100))).isTrue();
        assertThat(writer.errors()).isGreaterThan(1);
        assertThat(messages())
                .containsExactly(
                        "access log test: 1 failed writes, the last: java.io.IOException: disk full",
                        "access log test: 1 lines dropped, too many waited",
                        "access log test: 3 lines lost in all, 1 of them since too many waited; the last failure: java.io.IOException: disk full");
    }

    /** Such as for want of memory for the copy of what is written. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverAWriteFailsWithTheNextLinesAreWritten(boolean error) throws InterruptedException {
        AtomicInteger writes = new AtomicInteger();
        AtomicReference<String> written = new AtomicReference<>("");
        LogWriter writer = started(sink(chunk -> {
            if (writes.incrementAndGet() == 1) {
                if (error) {
                    throw new OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory");
                }
                throw new IllegalStateException("for a test");
            }
            written.updateAndGet(before -> before + StandardCharsets.US_ASCII.decode(chunk));
        }));
        Await.until("it is tried again", () -> !written.get().isEmpty());
        assertThat(writer.end(TimeUnit.SECONDS.toNanos(10))).isTrue();
        assertThat(written).hasValue("a\na\n");
        assertThat(writer.errors()).isEqualTo(1);
        assertThat(messages().getFirst())
                .contains("1 failed writes, the last: java.lang.")
                .contains(error ? "OutOfMemoryError: Cannot reserve" : "IllegalStateException: for a test");
    }

    /** The log is written by others' code, which may fail as well. */
    @Test
    void whatFailsToBeReportedEndsNothing() throws InterruptedException {
        UnsynchronizedAppenderBase<ILoggingEvent> failing = new UnsynchronizedAppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {}

            @Override
            public void doAppend(ILoggingEvent event) {
                throw new IllegalStateException("for a test");
            }
        };
        failing.start();
        LOG.addAppender(failing);
        try {
            AtomicBoolean mayWrite = new AtomicBoolean();
            AtomicReference<String> written = new AtomicReference<>("");
            LogWriter writer = started(sink(chunk -> {
                if (!mayWrite.get()) {
                    throw new IOException("disk full");
                }
                written.updateAndGet(before -> before + StandardCharsets.US_ASCII.decode(chunk));
            }));
            Await.until("it was to be reported", () -> writer.errors() >= 2);
            mayWrite.set(true);
            Await.until("lines are written", () -> !written.get().isEmpty());
            LOG.detachAppender(failing);
            assertThat(writer.end(TimeUnit.SECONDS.toNanos(10))).isTrue();
        } finally {
            LOG.detachAppender(failing);
        }
    }

    @Test
    void atTheEndEveryLineThatWasLostIsCounted() throws InterruptedException {
        LogWriter writer = new LogWriter(
                sink(chunk -> {
                    throw new IOException("disk full");
                }),
                "test");
        LogLane[] lanes = {new LogLane(4096), new LogLane(4096)};
        byte[] line = new byte[90];
        line[89] = '\n';
        List<Thread> workers = new ArrayList<>();
        for (LogLane lane : lanes) {
            writer.add(lane);
            // Ends without closing its lane, as an event loop that is stopped.
            workers.add(Thread.ofPlatform().start(() -> fill(lane, line, 10_000)));
        }
        for (Thread worker : workers) {
            worker.join();
        }
        writer.thread().start();
        assertThat(writer.end(TimeUnit.MILLISECONDS.toNanos(100))).isTrue();
        assertThat(messages().getLast())
                .isEqualTo("access log test: 20000 lines lost in all, 11808 of them since too many waited;"
                        + " the last failure: java.io.IOException: disk full");
    }

    private static void fill(LogLane lane, byte[] line, int lines) {
        for (int i = 0; i < lines; i++) {
            if (!lane.isOpenForLine()) {
                lane.drop();
                continue;
            }
            if (!lane.hasRoom(line.length) || lane.isLadenWithLines()) {
                lane.handOver();
            }
            lane.append(line, line.length);
        }
    }

    @Test
    void whatIsWrittenOfAChunkIsNotLost() throws InterruptedException {
        LogWriter writer = started(sink(chunk -> {
            // The first line, and half of the second.
            chunk.position(Math.min(3, chunk.limit()));
            throw new IOException("disk full");
        }));
        assertThat(writer.end(TimeUnit.MILLISECONDS.toNanos(100))).isTrue();
        assertThat(messages().getLast()).startsWith("access log test: 2 lines lost in all, 1 of them");
    }

    /** A file that was moved away and can't be made anew: what is written is in the old one. */
    @Test
    void whatIsWrittenWithTroubleIsCountedAndGoesOn() throws InterruptedException {
        AtomicReference<String> written = new AtomicReference<>("");
        LogWriter writer = started(new LogSink() {
            @Override
            public void write(ByteBuffer chunk) {
                written.updateAndGet(before -> before + StandardCharsets.US_ASCII.decode(chunk));
            }

            @Override
            public IOException takeTrouble() {
                return new IOException("no folder");
            }

            @Override
            public void close() {}
        });
        assertThat(writer.end(TimeUnit.SECONDS.toNanos(10))).isTrue();
        assertThat(written).hasValue("a\na\n");
        assertThat(writer.errors()).isPositive();
        assertThat(messages().getFirst())
                .startsWith("access log test: ")
                .endsWith(" failed writes, the last: java.io.IOException: no folder");
    }

    @Test
    void aStalledSinkIsNotWaitedForWithoutEnd() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        LogWriter writer = started(sink(chunk -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            chunk.position(chunk.limit());
        }));
        assertThat(writer.end(TimeUnit.MILLISECONDS.toNanos(1))).isFalse();
        never.countDown();
        assertThat(writer.thread().join(Duration.ofSeconds(10))).isTrue();
    }
}
