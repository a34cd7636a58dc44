package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ManualClockTest {
    @Test
    void movesOnlyWhenItIsMoved() {
        var clock = new ManualClock();

        assertThat(clock.getAsLong()).isZero();
        assertThat(clock.advance(Duration.ofMillis(2))).isEqualTo(2_000_000);
        clock.advanceTo(5_000_000);

        assertThat(clock.getAsLong()).isEqualTo(5_000_000);
    }

    @Test
    void goesOverTheOverflowOfLong() {
        var clock = ManualClock.startingAt(Long.MAX_VALUE);

        clock.advance(Duration.ofNanos(1));
        clock.advanceTo(Long.MIN_VALUE + 5);

        assertThat(clock.getAsLong() - Long.MAX_VALUE).isEqualTo(6);
    }

    @Test
    void neverGoesBack() {
        var clock = ManualClock.startingAt(10);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> clock.advanceTo(9))
                .withMessage("laterNanos: 9 (expected: >= 10)");
        assertThatIllegalArgumentException().isThrownBy(() -> clock.advance(Duration.ofNanos(-1)));
        assertThat(clock.getAsLong()).isEqualTo(10);
    }
}
