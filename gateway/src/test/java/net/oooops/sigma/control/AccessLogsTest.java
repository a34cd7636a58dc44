package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.AccessLogConfig.Format;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.Lines;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The access log follows another configuration, and no line is lost by that. */
@Isolated("threads and descriptors of the process")
class AccessLogsTest {
    private static final int QUEUE = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final List<Loop> loops = List.of(new Loop(), new Loop());
    private @Nullable AccessLogs logs;

    /** What an event loop does with its appender: lines in between what it is asked for. */
    private static final class Loop implements Runnable {
        private final WorkerCounters counters = new WorkerCounters(Refusals.NAMES);
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private AccessLog.@Nullable Appender appender;
        private int appended;

        CompletableFuture<Void> follow(AccessLog.@Nullable Appender next) {
            return CompletableFuture.runAsync(() -> take(next), tasks::add);
        }

        private void take(AccessLog.@Nullable Appender next) {
            AccessLog.Appender before = appender;
            appender = next;
            if (before != null) {
                before.close();
            }
        }

        @Override
        public void run() {
            while (!over.get()) {
                Runnable task = tasks.poll();
                if (task != null) {
                    task.run();
                } else if (appender != null && appended < QUEUE / 4) {
                    Lines.append(appender, appended++);
                    appender.flushIfDue(System.nanoTime());
                }
            }
        }

        long count(Counter counter) {
            return new CountersView(List.of(counters)).snapshot().count(counter);
        }
    }

    @AfterEach
    void stop() {
        loops.forEach(each -> each.over.set(true));
        if (logs != null) {
            logs.close();
        }
    }

    private AccessLogs open(@Nullable AccessLogConfig config) throws StartException {
        AccessLogs opened = AccessLogs.open(config, loops.size());
        logs = opened;
        for (Loop loop : loops) {
            loop.appender = opened.appender(loop.counters);
            Thread.ofPlatform().daemon().start(loop);
        }
        return opened;
    }

    private void follow(@Nullable AccessLogConfig config) throws StartException {
        AccessLogs following = Objects.requireNonNull(logs);
        following.prepare(config);
        following.follow(config, (number, appender) -> loops.get(number).follow(appender));
    }

    private AccessLogConfig config(Format format, String file) {
        return new AccessLogConfig(format, dir.resolve(file).toString(), QUEUE);
    }

    @Test
    void noLineIsLostAndNoneIsTorn() throws Exception {
        open(config(Format.COMBINED, "a"));
        List<AccessLogConfig> all = List.of(
                config(Format.JSON, "a"),
                config(Format.JSON, "b"),
                config(Format.COMBINED, "b"),
                config(Format.COMBINED, "a"));
        for (int i = 0; i < 200; i++) {
            follow(all.get(i % all.size()));
        }
        follow(null);
        loops.forEach(each -> Await.until("nothing waits", each.tasks::isEmpty));
        Objects.requireNonNull(logs).close();
        List<String> lines = new ArrayList<>(Files.readAllLines(dir.resolve("a")));
        lines.addAll(Files.readAllLines(dir.resolve("b")));
        assertThat(lines).allMatch(Lines::isWhole);
        long taken = 0;
        for (Loop each : loops) {
            taken += each.count(Counter.ACCESS_LOG_LINES);
            assertThat(each.count(Counter.ACCESS_LOG_LINES_DROPPED)).isZero();
        }
        assertThat(lines).hasSize((int) taken).hasSizeGreaterThan(100);
    }

    @Test
    void theSameLogIsNotTouched() throws Exception {
        AccessLogs same = open(config(Format.JSON, "a"));
        List<AccessLog.@Nullable Appender> handed = new ArrayList<>();
        Beside.Use before = Beside.Use.now();
        for (int i = 0; i < 1000; i++) {
            same.prepare(config(Format.JSON, "a"));
            same.follow(config(Format.JSON, "a"), (number, appender) -> {
                handed.add(appender);
                return CompletableFuture.completedFuture(null);
            });
        }
        assertThat(handed).isEmpty();
        assertThat(Beside.Use.now()).matches(now -> now.isLike(before));
    }

    @Test
    void aFileThatCantBeOpenedLeavesTheLogAsItWas() throws Exception {
        AccessLogs same = open(config(Format.JSON, "a"));
        AccessLogConfig missing = config(Format.JSON, "none/b");
        assertThatThrownBy(() -> same.prepare(missing))
                .isInstanceOf(StartException.class)
                .hasMessage("plugins.log-config: " + missing.file()
                        + ": NoSuchFileException (expected: a file that can be opened for appending)");
        same.abandon();
        // Before it ends: event loops that haven't begun by then would append nothing.
        Await.until("written", () -> size("a") > 0);
        follow(null);
    }

    private long size(String file) {
        try {
            return Files.exists(dir.resolve(file)) ? Files.size(dir.resolve(file)) : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatWasOpenedAndIsntNeededIsClosed() throws Exception {
        AccessLogs same = open(null);
        Beside.Use before = Beside.Use.now();
        same.prepare(config(Format.JSON, "a"));
        same.abandon();
        assertThat(Beside.Use.now()).matches(now -> now.isLike(before));
        follow(null);
        assertThat(loops).allMatch(each -> each.appender == null);
    }

    /** An event loop may end meanwhile, or take no task any more. */
    @Test
    void aLogIsClosedThoughAWorkerCantBeAsked() throws Exception {
        AccessLogs same = open(null);
        Beside.Use before = Beside.Use.now();
        same.prepare(config(Format.JSON, "a"));
        same.follow(config(Format.JSON, "a"), (number, to) -> CompletableFuture.completedFuture(null));
        same.prepare(config(Format.JSON, "b"));
        same.follow(
                config(Format.JSON, "b"),
                (number, to) -> CompletableFuture.failedFuture(new IllegalStateException("ended")));
        same.follow(null, (number, to) -> {
            throw new RejectedExecutionException("ended");
        });
        Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
    }

    @Test
    void nothingIsLeftOfLogsThatHaveEnded() throws Exception {
        open(null);
        Beside.Use before = Beside.Use.now();
        for (int i = 0; i < 300; i++) {
            follow(i % 3 == 2 ? null : config(Format.JSON, "a" + i % 3));
        }
        Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
        follow(config(Format.JSON, "a"));
        Beside.Use one =
                Await.value("one", Beside.Use::now, now -> now.threads().containsValue(1));
        for (int i = 0; i < 1000; i++) {
            follow(config(i % 2 == 0 ? Format.COMBINED : Format.JSON, "a"));
        }
        assertThat(Beside.Use.now()).matches(now -> now.isLike(one));
    }
}
