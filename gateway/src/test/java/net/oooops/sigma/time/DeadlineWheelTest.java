package net.oooops.sigma.time;

import static net.oooops.sigma.time.DeadlineWheel.TICK_NANOS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineWheelTest {
    private static final Duration TICK = Duration.ofNanos(TICK_NANOS);
    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();

    private final ManualClock clock = new ManualClock();
    private final DeadlineWheel wheel = new DeadlineWheel(clock);
    private final List<Bell> rung = new ArrayList<>();

    /** Notes when it was called. */
    private class Bell extends Timed {
        private final ManualClock watch;
        private long atNanos = -1;
        private Runnable then = () -> {};

        Bell() {
            this(clock);
        }

        Bell(ManualClock watch) {
            this.watch = watch;
        }

        @Override
        protected void onDeadline() {
            assertThat(armed).isFalse();
            atNanos = watch.getAsLong();
            rung.add(this);
            then.run();
        }
    }

    private void pass(Duration time) {
        long end = clock.getAsLong() + time.toNanos();
        while (clock.getAsLong() < end) {
            clock.advance(Duration.ofNanos(Math.min(TICK_NANOS, end - clock.getAsLong())));
            wheel.advance();
        }
    }

    /** Whatever is armed, moved, disarmed or removed, when: what rings rings never early and at most one tick late. */
    @ParameterizedTest
    @ValueSource(longs = {0, 12_345, Long.MAX_VALUE - 1_000_000_000L, Long.MIN_VALUE, -5})
    void neverEarlyAndAtMostOneTickLate(long startNanos) {
        ManualClock watch = ManualClock.startingAt(startNanos);
        DeadlineWheel turning = new DeadlineWheel(watch);
        Random random = new Random(startNanos);
        int count = 200;
        Bell[] bells = new Bell[count];
        long[] due = new long[count];
        boolean[] armed = new boolean[count];
        for (int i = 0; i < count; i++) {
            bells[i] = new Bell(watch);
        }
        for (int tick = 0; tick < 4000; tick++) {
            for (int moves = random.nextInt(20); moves > 0; moves--) {
                int i = random.nextInt(count);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        turning.disarm(bells[i]);
                        armed[i] = false;
                    }
                    case 1 -> {
                        turning.remove(bells[i]);
                        armed[i] = false;
                    }
                    default -> {
                        long after = random.nextInt(4) == 0
                                ? random.nextLong(HOUR_NANOS / 10)
                                : random.nextLong(5 * TICK_NANOS);
                        turning.arm(bells[i], after);
                        due[i] = watch.getAsLong() + after;
                        armed[i] = true;
                    }
                }
                watch.advance(Duration.ofNanos(random.nextLong(TICK_NANOS / 40)));
            }
            watch.advanceTo(startNanos + (tick + 1) * TICK_NANOS);
            rung.clear();
            turning.advance();
            for (int i = 0; i < count; i++) {
                long lateNanos = watch.getAsLong() - due[i];
                if (rung.contains(bells[i])) {
                    assertThat(armed[i]).isTrue();
                    assertThat(lateNanos).isBetween(0L, TICK_NANOS);
                    armed[i] = false;
                } else {
                    assertThat(armed[i] && lateNanos >= TICK_NANOS).isFalse();
                }
            }
        }
    }

    /** Deadlines of one tick are many connections': a fault at one of them is to cost no other its own. */
    @Test
    void whatOneThrowsDelaysNoOther() {
        List<Bell> bells = List.of(new Bell(), new Bell(), new Bell());
        bells.forEach(bell -> wheel.arm(bell, TICK_NANOS));
        Bell next = new Bell();
        wheel.arm(next, 2 * TICK_NANOS);
        bells.get(2).then = () -> {
            throw new IllegalStateException("can't be");
        };
        bells.get(1).then = () -> {
            throw new IllegalStateException("nor can that");
        };
        clock.advance(TICK.multipliedBy(2));
        assertThatThrownBy(wheel::advance)
                .hasMessage("can't be")
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
        assertThat(rung).hasSize(4).last().isEqualTo(next);
        wheel.arm(bells.getFirst(), 3 * TICK_NANOS);
        pass(TICK.multipliedBy(3));
        assertThat(rung).hasSize(5);
    }

    @Test
    void movedLaterItRingsLaterOnly() {
        Bell bell = new Bell();
        wheel.arm(bell, TICK_NANOS);
        wheel.arm(bell, 5 * TICK_NANOS);
        pass(TICK.multipliedBy(4));
        assertThat(rung).isEmpty();
        pass(TICK);
        assertThat(rung).containsExactly(bell);
        pass(TICK.multipliedBy(2000));
        assertThat(rung).hasSize(1);
    }

    @Test
    void movedEarlierItRingsEarlier() {
        Bell bell = new Bell();
        wheel.arm(bell, HOUR_NANOS);
        wheel.arm(bell, 2 * TICK_NANOS);
        pass(TICK.multipliedBy(2));
        assertThat(rung).containsExactly(bell);
    }

    /** Beyond what the wheel's slots reach, too. */
    @Test
    void farDeadlines() {
        Bell hour = new Bell();
        Bell twoHours = new Bell();
        wheel.arm(hour, HOUR_NANOS);
        wheel.arm(twoHours, 2 * HOUR_NANOS);
        pass(Duration.ofHours(3));
        assertThat(hour.atNanos).isEqualTo(HOUR_NANOS);
        assertThat(twoHours.atNanos).isEqualTo(2 * HOUR_NANOS);
    }

    /** The longest time that sigma.json can say. */
    @Test
    void theFarthestDeadline() {
        pass(TICK.multipliedBy(3));
        Bell bell = new Bell();
        wheel.arm(bell, 999_999 * HOUR_NANOS);
        pass(TICK.multipliedBy(2000));
        assertThat(rung).isEmpty();
    }

    /** After a standstill of the event loop all that was due rings at once. */
    @Test
    void afterAStandstill() {
        List<Bell> bells = new ArrayList<>();
        for (int i = 1; i <= 3000; i++) {
            Bell bell = new Bell();
            wheel.arm(bell, i * TICK_NANOS);
            bells.add(bell);
        }
        Bell later = new Bell();
        wheel.arm(later, 3001 * TICK_NANOS);
        clock.advance(TICK.multipliedBy(3000));
        wheel.advance();
        assertThat(rung).containsExactlyInAnyOrderElementsOf(bells);
        pass(TICK);
        assertThat(rung).contains(later);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE / 2})
    void whatIsDueAlreadyRingsWithTheNextTick(long afterNanos) {
        pass(TICK.multipliedBy(2));
        Bell bell = new Bell();
        wheel.arm(bell, afterNanos);
        assertThat(rung).isEmpty();
        pass(TICK);
        assertThat(rung).containsExactly(bell);
    }

    /** One that rings may take out, move and set others of the same moment, and itself. */
    @Test
    void changesWhileRinging() {
        Bell first = new Bell();
        Bell removed = new Bell();
        Bell disarmed = new Bell();
        Bell moved = new Bell();
        Bell fresh = new Bell();
        for (Bell bell : List.of(removed, disarmed, moved, first)) {
            wheel.arm(bell, TICK_NANOS);
        }
        first.then = () -> {
            wheel.remove(removed);
            wheel.disarm(disarmed);
            wheel.arm(moved, 2 * TICK_NANOS);
            wheel.arm(fresh, 0);
            first.then = () -> {};
            wheel.arm(first, 3 * TICK_NANOS);
        };
        pass(TICK);
        assertThat(rung).containsExactly(first);
        pass(TICK);
        assertThat(rung).containsExactly(first, fresh);
        pass(TICK);
        assertThat(rung).containsExactly(first, fresh, moved);
        pass(TICK);
        assertThat(rung).containsExactly(first, fresh, moved, first);
        pass(TICK.multipliedBy(2000));
        assertThat(rung).hasSize(4);
    }

    @Test
    void disarmedAndArmedAgain() {
        Bell bell = new Bell();
        wheel.arm(bell, 2 * TICK_NANOS);
        wheel.disarm(bell);
        pass(TICK.multipliedBy(3));
        assertThat(rung).isEmpty();
        wheel.arm(bell, TICK_NANOS);
        wheel.remove(bell);
        wheel.remove(bell);
        wheel.arm(bell, 3 * TICK_NANOS);
        pass(TICK.multipliedBy(3));
        assertThat(rung).containsExactly(bell);
    }

    @Test
    void oneThatIsMovedIsCountedFromWhereItWas() {
        Bell sooner = new Bell();
        Bell later = new Bell();
        Bell past = new Bell();
        Bell none = new Bell();
        for (Bell each : List.of(sooner, later, past)) {
            wheel.arm(each, Duration.ofSeconds(10).toNanos());
        }
        pass(Duration.ofSeconds(4));
        long now = clock.getAsLong();

        wheel.move(sooner, Duration.ofSeconds(-5).toNanos());
        wheel.move(later, Duration.ofSeconds(5).toNanos());
        wheel.move(past, Duration.ofSeconds(-8).toNanos());
        wheel.move(none, Duration.ofSeconds(-8).toNanos());
        pass(Duration.ofSeconds(20));

        assertThat(rung).containsExactly(past, sooner, later);
        assertThat(past.atNanos - now).isLessThanOrEqualTo(2 * TICK_NANOS);
        assertThat(sooner.atNanos - now)
                .isBetween(
                        Duration.ofSeconds(1).toNanos(), Duration.ofMillis(1200).toNanos());
        assertThat(later.atNanos - now)
                .isBetween(
                        Duration.ofSeconds(11).toNanos(),
                        Duration.ofMillis(11200).toNanos());
    }

    @Test
    void oneIsHastenedOnly() {
        Bell late = new Bell();
        Bell soon = new Bell();
        Bell none = new Bell();
        wheel.arm(late, HOUR_NANOS);
        wheel.arm(soon, TICK_NANOS);
        for (Bell each : List.of(late, soon, none)) {
            wheel.hasten(each, Duration.ofSeconds(1).toNanos());
        }
        pass(Duration.ofMillis(500));
        assertThat(rung).containsExactly(soon);
        pass(Duration.ofSeconds(1));
        assertThat(rung).containsExactly(soon, late);
    }
}
