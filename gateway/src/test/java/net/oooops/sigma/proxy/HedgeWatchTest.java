package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HedgeWatchTest {
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final AtomicInteger looks = new AtomicInteger();

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private long looked() {
        if (looks.incrementAndGet() == 2) {
            throw new IllegalStateException("as wanted");
        }
        return 0;
    }

    @Test
    @SuppressWarnings("NullAway") // Neither the exchange nor the Upstream is looked at: no answer of the node is known.
    void itGoesOnAfterAnError() {
        HedgeWatch watch = new HedgeWatch(loop, this::looked, null);
        HedgeLine line = new HedgeLine();
        line.add(new Hedge(null));
        loop.execute(() -> watch.begins(line, 1));
        Await.until("it looks again", () -> looks.get() > 3);
        assertThat(line.isEmpty()).isFalse();
    }
}
