package net.oooops.sigma.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopLoadTest {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int STEPS = 8;

    @Test
    void aThreadThatRunsHasNothingToSpareOneThatWaitsHasAll() {
        double running = 1;
        double waiting = 0;
        try (LoopLoad load = new LoopLoad()) {
            // What a hypervisor takes away looks like time to spare: the clearest of some steps counts.
            for (int i = 0; i < STEPS; i++) {
                long until = System.nanoTime() + STEP_NANOS;
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                running = Math.min(running, load.spare());
                until = System.nanoTime() + STEP_NANOS;
                while (System.nanoTime() < until) {
                    LockSupport.parkNanos(STEP_NANOS);
                }
                waiting = Math.max(waiting, load.spare());
            }
        }

        assertThat(running).isLessThan(0.3);
        assertThat(waiting).isGreaterThan(0.7);
    }

    @ParameterizedTest
    @CsvSource({"'132378 3480166 2\n', 3480166", "'1 0 2', 0", "'12 345', 345", "'12', 0", "'', 0"})
    void theSecondNumberIsTheTimeInLine(String line, long expected) {
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
        assertThat(LoopLoad.second(bytes, bytes.length)).isEqualTo(expected);
    }
}
