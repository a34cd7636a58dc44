package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PulseTest {
    private final AtomicLong one = new AtomicLong();
    private final AtomicLong other = new AtomicLong();
    private final Pulse pulse = new Pulse(List.of(one::get, other::get), 0);
    private long nowNanos;

    private void looks(int count, long apartNanos) {
        for (int i = 0; i < count; i++) {
            nowNanos += apartNanos;
            other.incrementAndGet();
            pulse.look(nowNanos);
        }
    }

    @Test
    void whoDoesNotTickForTenLooksIsStalledUntilItTicks() {
        looks(Pulse.LOOKS_MAX - 1, Pulse.LOOK_NANOS);
        assertThat(pulse.stalled()).isEmpty();
        looks(1, Pulse.LOOK_NANOS);
        assertThat(pulse.stalled()).containsExactly(0);
        one.incrementAndGet();
        looks(1, Pulse.LOOK_NANOS);
        assertThat(pulse.stalled()).isEmpty();
    }

    @Test
    void looksThatComeLateOrAllAtOnceSayNothing() {
        looks(20, TimeUnit.MINUTES.toNanos(1));
        assertThat(pulse.stalled()).isEmpty();
        looks(100, 1);
        assertThat(pulse.stalled()).isEmpty();
    }
}
