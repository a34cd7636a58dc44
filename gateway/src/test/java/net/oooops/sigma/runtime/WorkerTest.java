package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.upstream.NodeRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A fault of Sigma's own in one road costs no other one its turn. */
class WorkerTest {
    private static final int TICKS = 3;

    private final DefaultEventLoop eventLoop = new DefaultEventLoop();
    private final Broken first = new Broken();
    private final Broken last = new Broken();
    private final Worker worker = new Worker(
            LoopParts.of(
                    eventLoop,
                    new NodeRegistry(),
                    new WorkerCounters(RefusalNames.NONE),
                    new Generation(1, 1, () -> {})),
            _ -> List.of(first, last));

    @AfterEach
    void end() {
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** Whatever it is asked, it throws. */
    private static final class Broken implements Road {
        private final CountDownLatch ticks = new CountDownLatch(TICKS);
        private final CountDownLatch flows = new CountDownLatch(TICKS);
        private final CountDownLatch upstreams = new CountDownLatch(TICKS);

        @Override
        public void tick() {
            ticks.countDown();
            throw new IllegalStateException("its tick");
        }

        @Override
        public Flows<?, ?> flows() {
            flows.countDown();
            throw new IllegalStateException("its flows");
        }

        @Override
        public UpstreamGroups<?> upstreams() {
            upstreams.countDown();
            throw new IllegalStateException("its upstreams");
        }

        @Override
        public int connectionCount() {
            return 0;
        }
    }

    @Test
    void eachRoadHasItsTurnWithEachTick() throws Exception {
        worker.start();
        for (Broken road : List.of(first, last)) {
            for (CountDownLatch each : List.of(road.ticks, road.flows, road.upstreams)) {
                assertThat(each.await(10, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void eachRoadTakesUpItsNodesAndWhoWaitsIsTold() {
        assertThatThrownBy(worker::takeUp).hasMessageContaining("not taken up").hasRootCauseMessage("its upstreams");
        assertThat(last.upstreams.getCount()).isEqualTo(TICKS - 1);
    }
}
