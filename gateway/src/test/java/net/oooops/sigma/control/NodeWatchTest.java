package net.oooops.sigma.control;

import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;

class NodeWatchTest {
    private final AtomicInteger looks = new AtomicInteger();

    private void look(long nowNanos) {
        if (looks.incrementAndGet() == 1) {
            throw new LinkageError("as wanted, at " + nowNanos);
        }
    }

    @Test
    void itGoesOnAfterAnError() {
        try (NodeWatch _ = NodeWatch.start(this::look)) {
            Await.until("it looks again", () -> looks.get() > 2);
        }
    }
}
