package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    @Test
    void returnsTheFirstValueThatIsAsExpected() {
        var calls = new AtomicInteger();

        int value = Await.value("calls", calls::incrementAndGet, seen -> seen >= 3);

        assertThat(value).isEqualTo(3);
        assertThat(calls).hasValue(3);
    }

    @Test
    void showsTheLastValueWhenTheDeadlinePasses() {
        assertThatThrownBy(() -> Await.value("pool size", Duration.ofMillis(20), () -> 7, size -> size == 8))
                .isInstanceOf(AssertionError.class)
                .hasMessage("pool size: not so within 20 ms; last value: 7");
    }

    @Test
    void looksAtLeastOnceWithoutAnyTime() {
        Await.until("true", Duration.ZERO, () -> true);

        assertThatThrownBy(() -> Await.until("false", Duration.ZERO, () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("last value: false");
    }
}
