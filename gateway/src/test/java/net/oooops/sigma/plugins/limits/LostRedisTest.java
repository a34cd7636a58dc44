package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.Test;

/** What a process counts by itself while Redis is lost. */
class LostRedisTest {
    private static final ShortKey KEY = new ShortKey(1, 1);

    private final ManualClock clock = ManualClock.startingAt(Duration.ofDays(2).toNanos());
    private final RedisOfTest.Line line = new RedisOfTest(clock).line();

    private static Rate rate(int tokens, Duration per) {
        return Rate.of(per.toString(), tokens, per, tokens).inSteps(LeaseScript.UNIT_NANOS);
    }

    private SharedLimit shared(Rate... rates) {
        return new SharedLimit(
                clock,
                new SharedLimit.Terms("r", "test", List.of(rates), 1, Math.max(1, rates[0].burst() / 10), 1, 1000),
                new SharedLimit.Counts(n -> {}, n -> {}, n -> {}),
                line,
                later -> {});
    }

    private Buckets local(Rate... rates) {
        return new Buckets(clock, List.of(rates), 1000, new Buckets.Shared("test", "keys", n -> {}));
    }

    /** How many of so many requests pass by what Redis says. */
    private int passed(SharedLimit limit, int tries) {
        SharedKey there = limit.find(KEY);
        SharedKey key = there == null ? limit.add(KEY, "k", clock.getAsLong()) : there;
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += key.take(clock.getAsLong()) == 0 ? 1 : 0;
            line.settle();
        }
        return passed;
    }

    /** How many pass without it. */
    private static int taken(Buckets local, ShortKey key, SharedLimit of) {
        int taken = 0;
        for (int i = 0; i < 200; i++) {
            taken += local.take(key, 1, of.find(key)) == 0 ? 1 : 0;
        }
        return taken;
    }

    /** Whoever has Redis lost, or waits until it is, gets no other burst: what was taken before counts on, and comes back with time. */
    @Test
    void whatWasTakenBeforeItWasLostCounts() {
        Rate rate = rate(100, Duration.ofHours(1));
        SharedLimit limit = shared(rate);
        Buckets local = local(rate);
        assertThat(passed(limit, 60)).isEqualTo(60);
        assertThat(taken(local, KEY, limit)).isEqualTo(40);
        clock.advance(Duration.ofMinutes(30));
        assertThat(taken(local, KEY, limit)).isEqualTo(50);

        clock.advance(Duration.ofHours(2));
        assertThat(passed(limit, 150)).isEqualTo(100);
        assertThat(taken(local, KEY, limit)).as("it is lost a second time").isZero();
        assertThat(taken(local, new ShortKey(2, 2), limit)).as("another key").isEqualTo(100);
    }

    @Test
    void ofSeveralLimitsEachCounts() {
        Rate[] rates = {rate(100, Duration.ofHours(1)), rate(10, Duration.ofMinutes(1))};
        SharedLimit limit = shared(rates);
        assertThat(passed(limit, 6)).isEqualTo(6);
        Buckets local = local(rates);
        assertThat(taken(local, KEY, limit)).isEqualTo(4);
        clock.advance(Duration.ofMinutes(1));
        assertThat(taken(local, KEY, limit)).isEqualTo(10);
    }

    /** Of a bucket of one token, too, what is owed keeps nobody out for longer than that takes to come. */
    @Test
    void whatIsOwedIsHadAgain() {
        Rate rate = rate(1, Duration.ofSeconds(1));
        SharedLimit limit = shared(rate);
        line.lose(true);
        assertThat(passed(limit, 1)).isEqualTo(1);
        Buckets local = local(rate);
        assertThat(taken(local, KEY, limit)).isZero();
        clock.advance(Duration.ofMillis(1001));
        assertThat(taken(local, KEY, limit)).isEqualTo(1);
    }

    /** What lay here unused, and was given back, nobody has taken. */
    @Test
    void whatWasGivenBackDoesNotCount() {
        Rate[] rates = {rate(100, Duration.ofHours(1)), rate(1000, Duration.ofHours(24))};
        SharedLimit limit = shared(rates);
        assertThat(passed(limit, 55)).isEqualTo(55);
        SharedKey key = Objects.requireNonNull(limit.find(KEY));
        assertThat(key.giveBack(clock.getAsLong())).isTrue();
        assertThat(key.isHolding(clock.getAsLong())).isFalse();
        assertThat(taken(local(rates), KEY, limit)).isEqualTo(45);
    }
}
