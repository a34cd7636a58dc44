package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Allocation;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The 95th percentile of what was lately measured. */
class LatenciesTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static Latencies of(int count, long nanos) {
        Latencies latencies = new Latencies();
        add(latencies, count, nanos);
        return latencies;
    }

    private static void add(Latencies to, int count, long nanos) {
        for (int i = 0; i < count; i++) {
            to.add(nanos);
        }
    }

    @Test
    void fewTellNothing() {
        Latencies latencies = of(Latencies.KNOWN_MIN - 1, MILLI);
        latencies.tick();
        assertThat(latencies.percentileNanos()).isZero();
        latencies.add(MILLI);
        assertThat(latencies.percentileNanos()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {70_000, 123_456, 1_000_000, 1_048_576, 33_333_333, 5_000_000_000L, 100_000_000_000L})
    void whatItTellsIsRightToAnEighth(long nanos) {
        assertThat(of(100, nanos).percentileNanos()).isBetween(nanos, nanos + nanos / 8 + 1);
    }

    @Test
    void fiveOfAHundredMayTakeLonger() {
        Latencies latencies = of(95, 10 * MILLI);
        add(latencies, 5, 900 * MILLI);
        latencies.tick();
        assertThat(latencies.percentileNanos()).isCloseTo(10 * MILLI, Percentage.withPercentage(13));

        add(latencies, 1, 900 * MILLI);
        latencies.tick();
        assertThat(latencies.percentileNanos()).isCloseTo(900 * MILLI, Percentage.withPercentage(13));
    }

    @Test
    void whatIsBeyondIsCountedAtTheEnds() {
        assertThat(of(100, 0).percentileNanos()).isBetween(1L, 80_000L);
        assertThat(of(100, -5).percentileNanos()).isBetween(1L, 80_000L);
        assertThat(of(100, Long.MAX_VALUE).percentileNanos()).isCloseTo(137_438_953_472L, Percentage.withPercentage(1));
    }

    @Test
    void whatIsMeasuredLeavesNothing() {
        Latencies latencies = of(1000, MILLI);
        long[] next = {MILLI};
        assertThat(Allocation.bytes(() -> {
                    next[0] = next[0] * 17 % (1000 * MILLI);
                    latencies.add(next[0]);
                    latencies.tick();
                }))
                .isZero();
    }

    /** A node that has become slower is known as that before long, however much was known of it before. */
    @Test
    void whatWasLongAgoIsForgotten() {
        Latencies latencies = of(100_000, MILLI);
        for (int second = 0; second < 60; second++) {
            for (int tick = 0; tick < 10; tick++) {
                latencies.tick();
            }
            add(latencies, 100, 50 * MILLI);
        }
        latencies.tick();
        assertThat(latencies.percentileNanos()).isCloseTo(50 * MILLI, Percentage.withPercentage(13));
    }

    @Test
    void inAQuietTimeWhatIsKnownIsKept() {
        Latencies latencies = of(100_000, MILLI);
        for (int tick = 0; tick < 100_000; tick++) {
            latencies.tick();
        }
        assertThat(latencies.percentileNanos()).isCloseTo(MILLI, Percentage.withPercentage(13));
        // Two hundred are kept: so many outweigh them.
        add(latencies, 20, 50 * MILLI);
        latencies.tick();
        assertThat(latencies.percentileNanos()).isCloseTo(50 * MILLI, Percentage.withPercentage(13));
    }
}
