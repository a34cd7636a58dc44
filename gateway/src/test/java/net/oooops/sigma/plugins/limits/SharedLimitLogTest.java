package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log of the process")
class SharedLimitLogTest {
    private final ManualClock clock = ManualClock.startingAt(Duration.ofDays(2).toNanos());

    private SharedLimit limit(RedisOfTest.Line line) {
        Rate rate = Rate.of("1h", 100, Duration.ofHours(1), 100).inSteps(LeaseScript.UNIT_NANOS);
        return new SharedLimit(
                clock,
                new SharedLimit.Terms("limits", "api", List.of(rate), 1, 10, 1, 1000),
                new SharedLimit.Counts(n -> {}, n -> {}, n -> {}),
                line,
                later -> {});
    }

    /** A Redis that refuses is connected to as any: nothing else would say that each gateway counts by itself. */
    @Test
    void theLogSaysOnceThatNothingIsShared() {
        RedisOfTest.Line line = new RedisOfTest(clock).line();
        SharedLimit limit = limit(line);
        SharedKey key = limit.add(new ShortKey(1, 1), "k", clock.getAsLong());
        try (LoggedLines log = new LoggedLines(SharedLimit.class)) {
            line.lose(true);
            for (int i = 0; i < 3; i++) {
                key.probe(clock.getAsLong());
            }
            line.lose(false);
            for (int i = 0; i < 3; i++) {
                key.probe(clock.getAsLong());
                line.settle();
            }
            line.lose(true);
            key.probe(clock.getAsLong());
            assertThat(log.lines())
                    .containsExactly(
                            "WARN rate-limit: the limit \"api\" isn't shared, redis limits gives no tokens (lost);"
                                    + " \"on-failure\" holds until it does, and this is said once",
                            "INFO rate-limit: the limit \"api\" is shared again");
            clock.advance(Duration.ofSeconds(10));
            key.probe(clock.getAsLong());
            assertThat(log.lines()).hasSize(3);
        }
    }

    /** What was asked last fails as Redis is closed, which is as it should be. */
    @Test
    void nothingIsToldOfOneThatIsLeft() {
        RedisOfTest.Line line = new RedisOfTest(clock).line();
        SharedLimit limit = limit(line);
        SharedKey key = limit.add(new ShortKey(1, 1), "k", clock.getAsLong());
        try (LoggedLines log = new LoggedLines(SharedLimit.class)) {
            limit.leave();
            line.lose(true);
            key.probe(clock.getAsLong());
            assertThat(log.lines()).isEmpty();
        }
    }
}
