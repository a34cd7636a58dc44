package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginContext.Timer;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What plugins do without an exchange, without a gateway. */
@Isolated("the log")
@Timeout(60)
class OwnWorkTest {
    private static final Schedule SOON =
            Schedule.every(Duration.ofMillis(100)).jitter(Duration.ofMillis(1)).first(Duration.ZERO);
    private static final Schedule NEVER = Schedule.every(Duration.ofDays(30));

    private final PluginMeters meters = new PluginMeters();
    private final OwnWork work = new OwnWork(new Callees());
    private final PluginContext context = new GivenContext("test", meters, new RedisClients()::open, work);
    private final Semaphore done = new Semaphore(0);
    private final Plugin plugin = () -> Needs.REQUEST;

    @AfterEach
    void end() {
        work.end();
    }

    private void begin() {
        assertThat(work.seal()).isTrue();
        work.begin(plugin);
    }

    private void awaitDone(int times) throws InterruptedException {
        assertThat(done.tryAcquire(times, 30, TimeUnit.SECONDS)).as("done").isTrue();
    }

    private long failures() {
        return meters.read().stream()
                .filter(reading -> reading.kind() == PluginMeters.Kind.TIMER)
                .mapToLong(PluginMeters.Reading::value)
                .sum();
    }

    @Test
    void itIsDoneAgainAndAgainAndNeverTwiceAtOnce() throws InterruptedException {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicBoolean virtual = new AtomicBoolean(true);
        Gate gate = new Gate();
        Timer timer = context.timer("count", SOON, () -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            virtual.compareAndSet(true, Thread.currentThread().isVirtual());
            done.release();
            gate.pass();
            atOnce.decrementAndGet();
        });
        begin();
        awaitDone(1);
        timer.wake();
        assertThat(done.tryAcquire(300, TimeUnit.MILLISECONDS))
                .as("a second one at once")
                .isFalse();
        gate.release();
        awaitDone(4);
        assertThat(most).hasValue(1);
        assertThat(virtual).isTrue();
        assertThat(failures()).isZero();
    }

    /** What is thrown is counted and said once; the next time comes as ever. */
    @Test
    void aFailureEndsNothing() throws InterruptedException {
        AtomicInteger times = new AtomicInteger();
        try (LoggedLines log = new LoggedLines(PluginTimer.class)) {
            context.timer("fail", SOON, () -> {
                done.release();
                switch (times.incrementAndGet()) {
                    case 1 -> throw new StackOverflowError();
                    case 2 -> throw new InterruptedException("by itself");
                    case 3 -> throw new Exception("checked");
                    default -> {}
                }
            });
            begin();
            awaitDone(5);
            assertThat(failures()).isEqualTo(3);
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().getFirst()).startsWith("ERROR plugin test: fail: what is due could not be done");
        }
    }

    @Test
    void itIsDoneWhenItIsWokenAndNotBefore() throws InterruptedException {
        Timer timer = context.timer("wait", NEVER, done::release);
        begin();
        assertThat(done.tryAcquire(200, TimeUnit.MILLISECONDS)).isFalse();
        timer.wake();
        awaitDone(1);
        assertThat(done.tryAcquire(200, TimeUnit.MILLISECONDS))
                .as("once for once")
                .isFalse();
        timer.wake();
        awaitDone(1);
    }

    @Test
    void nothingIsDoneBeforeItBegins() throws InterruptedException {
        Timer timer = context.timer("early", NEVER, done::release);
        context.timer("soon", SOON, done::release);
        work.seal();
        timer.wake();
        assertThat(done.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
        work.begin(plugin);
        awaitDone(2);
    }

    @Test
    void nothingIsDoneAfterItsEnd() throws InterruptedException {
        Timer timer = context.timer("late", SOON, done::release);
        begin();
        awaitDone(1);
        work.end();
        done.drainPermits();
        timer.wake();
        work.begin(plugin);
        assertThat(done.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Test
    void whatEndsBeforeItBeginsNeverDoes() throws InterruptedException {
        context.timer("never", SOON, done::release);
        work.seal();
        work.end();
        work.begin(plugin);
        assertThat(done.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
    }

    /** Who ends a plugin is to find it quiet. */
    @Test
    void whatWaitsIsInterruptedAndGone() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Gate gate = new Gate();
        try (LoggedLines log = new LoggedLines(PluginTimer.class)) {
            context.timer("hang", SOON, () -> {
                done.release();
                try {
                    gate.pass();
                } finally {
                    over.set(true);
                }
            });
            begin();
            awaitDone(1);
            Await.until("waits", () -> gate.waiting() == 1);
            work.end();
            assertThat(over).isTrue();
            assertThat(failures()).as("no failure of the plugin's").isZero();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void whatIsAskedForIsBounded() {
        for (int i = 0; i < PluginContext.TIMERS_MAX; i++) {
            context.timer("timer-" + i, NEVER, done::release);
        }
        assertThatThrownBy(() -> context.timer("one-more", NEVER, done::release))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 10");
        OwnWork other = new OwnWork(new Callees());
        PluginContext its = new GivenContext("test", meters, new RedisClients()::open, other);
        its.timer("same", NEVER, done::release);
        assertThatThrownBy(() -> its.timer("same", NEVER, done::release))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> its.timer("No_Kebab", NEVER, done::release))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kebab-case");
        other.seal();
        assertThatThrownBy(() -> its.timer("late", NEVER, done::release)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> its.callee("pass")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void schedulesAreBounded() {
        assertThatThrownBy(() -> Schedule.every(Duration.ofMillis(99))).hasMessageContaining("PT0.1S to");
        assertThatThrownBy(() -> Schedule.every(Duration.ofDays(366))).hasMessageContaining("period");
        assertThatThrownBy(() -> NEVER.first(Duration.ofNanos(-1))).hasMessageContaining("first delay");
        assertThatThrownBy(() -> NEVER.jitter(Duration.ofNanos(-1))).hasMessageContaining("jitter");
        assertThat(NEVER.first()).isEqualTo(Duration.ofDays(30));
        assertThat(NEVER.jitter()).isEqualTo(Duration.ofDays(3));
        assertThat(NEVER.first(Duration.ZERO).jitter(Duration.ofSeconds(1)))
                .hasToString("every PT720H, first after PT0S, jitter PT1S");
    }
}
