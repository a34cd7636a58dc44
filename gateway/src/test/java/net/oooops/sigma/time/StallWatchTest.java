package net.oooops.sigma.time;

import static net.oooops.sigma.time.DeadlineWheel.TICK_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StallWatchTest {
    private static final Duration STALL = Duration.ofSeconds(60);

    private final ManualClock clock = new ManualClock();
    private final DeadlineWheel wheel = new DeadlineWheel(clock);
    private @Nullable Acknowledged kernel;
    private final StallWatch watch = new StallWatch(new EmbeddedChannel(), STALL.toNanos(), channel -> kernel);
    private long taken;
    private long stalledNanos = -1;

    private final Timed deadline = new Timed() {
        @Override
        protected void onDeadline() {
            long next = watch.look(taken, clock.getAsLong());
            if (next == 0) {
                stalledNanos = clock.getAsLong();
            } else {
                wheel.arm(this, next);
            }
        }
    };

    private void begin() {
        wheel.arm(deadline, watch.begin(taken, clock.getAsLong()));
    }

    private void pass(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= TICK_NANOS) {
            clock.advance(Duration.ofNanos(Math.min(left, TICK_NANOS)));
            wheel.advance();
        }
    }

    /** What is written and waits makes the figure of an encrypted connection fall. */
    @Test
    void aFigureThatFallsIsNoProgress() {
        begin();
        for (int i = 0; i < 70; i++) {
            taken -= 22;
            pass(Duration.ofSeconds(1));
        }
        assertThat(Duration.ofNanos(stalledNanos))
                .isBetween(STALL, STALL.multipliedBy(11).dividedBy(10));
    }

    /** Wherever within its time something last went. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 5_900, 6_000, 6_100, 30_000, 59_900})
    void whoTakesNothingIsToldInTime(long lastMillis) {
        begin();
        pass(Duration.ofMillis(lastMillis));
        taken++;
        long last = clock.getAsLong();
        pass(STALL.multipliedBy(2));
        assertThat(stalledNanos - last)
                .isBetween(STALL.toNanos(), STALL.toNanos() + STALL.toNanos() / 10 + 2 * TICK_NANOS);
    }

    /** As at a reload: it holds at the next look, however late that was to ask. */
    @Test
    void aShorterTimeHoldsAtOnce() {
        kernel = new Acknowledged(7, 0);
        watch.begin(0, 0);
        watch.within(Duration.ofSeconds(10).toNanos());
        assertThat(watch.look(0, Duration.ofSeconds(9).toNanos())).isPositive();
        assertThat(watch.look(0, Duration.ofSeconds(10).toNanos())).isZero();
    }

    /** One of two that are watched together waits for the other, and is asked no more often. */
    @Test
    void thatItIsOverIsSaidWithoutAskingEachTime() {
        AtomicInteger asked = new AtomicInteger();
        StallWatch quiet = new StallWatch(new EmbeddedChannel(), STALL.toNanos(), channel -> {
            asked.incrementAndGet();
            return new Acknowledged(7, 0);
        });
        quiet.begin(0, 0);
        for (int second = 1; second <= 180; second++) {
            long left = quiet.look(0, Duration.ofSeconds(second).toNanos());
            assertThat(left == 0).as(second + " s").isEqualTo(second >= 60);
        }
        assertThat(asked).hasValueBetween(20, 31);
    }

    /** As who looks more often than that, and says each time what is configured. */
    @Test
    void thatTheTimeIsAsBeforeIsNoReasonToAsk() {
        AtomicInteger asked = new AtomicInteger();
        StallWatch quiet = new StallWatch(new EmbeddedChannel(), STALL.toNanos(), channel -> {
            asked.incrementAndGet();
            return new Acknowledged(7, 0);
        });
        quiet.begin(0, 0);
        for (int second = 1; second < 60; second++) {
            quiet.within(STALL.toNanos());
            quiet.look(0, Duration.ofSeconds(second).toNanos());
        }
        assertThat(asked).hasValueBetween(8, 10);
    }

    @Test
    void whoTakesAByteNowAndThenIsNot() {
        begin();
        for (int i = 0; i < 10; i++) {
            pass(STALL.minusMillis(100));
            taken++;
        }
        assertThat(stalledNanos).isEqualTo(-1);
    }

    /** What was taken before it began to be watched doesn't count. */
    @Test
    void whoNeverTookAnything() {
        taken = 5;
        begin();
        long began = clock.getAsLong();
        pass(STALL.multipliedBy(2));
        assertThat(stalledNanos - began).isBetween(STALL.toNanos(), STALL.toNanos() + TICK_NANOS);
    }

    /** Nothing leaves the gateway, and the peer reads what lies in the kernel. */
    @Test
    void whoAcknowledgesAByteNowAndThenIsNot() {
        begin();
        for (int i = 0; i < 10; i++) {
            kernel = new Acknowledged(i, 4_000_000 - i);
            pass(STALL.minusMillis(100));
        }
        assertThat(stalledNanos).isEqualTo(-1);
    }

    /** What is sent again, and the answers of a closed window, add nothing to what was acknowledged. */
    @ParameterizedTest
    @ValueSource(longs = {0, 3_000, 30_000, 59_900})
    void whoAcknowledgesNothingAnyMoreIsToldInTime(long lastMillis) {
        kernel = new Acknowledged(7, 4_000_000);
        begin();
        pass(Duration.ofMillis(lastMillis));
        kernel = new Acknowledged(8, 3_999_999);
        long last = clock.getAsLong();
        pass(STALL.multipliedBy(2));
        assertThat(stalledNanos - last)
                .isBetween(STALL.toNanos(), STALL.toNanos() + STALL.toNanos() / 10 + 2 * TICK_NANOS);
    }

    /** The peer has all of what this one waits to be taken of, and the rest is of others. */
    @Test
    void whatWasWrittenLaterDoesNotCount() {
        kernel = new Acknowledged(0, 1000);
        begin();
        pass(STALL.dividedBy(5));
        kernel = new Acknowledged(1000, 0);
        pass(STALL.dividedBy(10));
        long last = clock.getAsLong();
        for (int i = 1; i < 90 && stalledNanos < 0; i++) {
            kernel = new Acknowledged(1000 + i, 50);
            pass(Duration.ofSeconds(1));
        }
        assertThat(stalledNanos - last)
                .isBetween(STALL.toNanos() / 10 * 9, STALL.toNanos() + STALL.toNanos() / 10 + 2 * TICK_NANOS);
    }

    /** All is with the peer: there is nothing that it might have taken before the first look. */
    @Test
    void whereNothingLiesInTheKernelItIsToldAtOnce() {
        kernel = new Acknowledged(1000, 0);
        begin();
        long began = clock.getAsLong();
        pass(STALL.multipliedBy(2));
        assertThat(stalledNanos - began).isBetween(STALL.toNanos(), STALL.toNanos() + TICK_NANOS);
    }
}
