package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Said;
import org.junit.jupiter.api.Test;

/** What a breaker has let in is counted by that one until it is over, whatever breaker its Upstream has by then. */
class CountedTriesTest {
    private final TryHistory history = new TryHistory();
    private final Breaker first = breaker(1);
    private final Breaker second = breaker(2);

    private static Breaker breaker(int requestsMax) {
        return Objects.requireNonNull(new NodeRegistry()
                .upstream(Said.of("u")
                        .hosts("a")
                        .breaker(BreakerConfig.NONE, requestsMax)
                        .config())
                .breaker());
    }

    @Test
    void theEndIsToldToWhoLetItIn() {
        assertThat(history.admit(first)).isNull();
        assertThat(history.admit(second)).as("is in").isNull();
        assertThat(history.mayRepeat(second)).isTrue();
        assertThat(history.countedBy()).isSameAs(first);
        assertThat(first.requestCount()).isEqualTo(1);
        assertThat(second.requestCount()).isZero();
        history.release();
        history.release();
        assertThat(first.requestCount()).isZero();
        assertThat(second.requestCount()).isZero();
        assertThat(history.admit(second)).as("the next request").isNull();
        assertThat(second.requestCount()).isEqualTo(1);
    }

    @Test
    void whoBeganWithoutOneIsCountedFromTheFirstThatThereIs() {
        assertThat(history.mayRepeat(first)).isTrue();
        assertThat(history.admit(second)).isNull();
        assertThat(first.requestCount()).isEqualTo(1);
        history.release();
        assertThat(first.requestCount()).isZero();
        assertThat(second.requestCount()).isZero();
    }
}
