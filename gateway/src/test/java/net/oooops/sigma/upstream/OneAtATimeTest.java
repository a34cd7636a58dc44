package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OneAtATimeTest {
    private final OneAtATime once = new OneAtATime();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void whatIsAskedForMeanwhileIsDoneOnceMore() {
        boolean here = once.run(() -> {
            if (done.incrementAndGet() == 1) {
                assertThat(once.run(done::incrementAndGet)).isFalse();
                assertThat(once.run(done::incrementAndGet)).isFalse();
            }
        });
        assertThat(here).isTrue();
        assertThat(done).hasValue(2);
    }

    @Test
    void afterAnErrorTheNextOneBeginsAnew() {
        assertThatThrownBy(() -> once.run(() -> {
                    throw new LinkageError("as wanted");
                }))
                .isInstanceOf(LinkageError.class);
        assertThat(once.run(done::incrementAndGet)).isTrue();
        assertThat(done).hasValue(1);
    }
}
