package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Several Workers find the same out at the same time. */
@Isolated("log lines")
class RacesTest {
    private static final int WORKERS = 4;
    private static final int ROUNDS = 5_000;
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    private final CyclicBarrier together = new CyclicBarrier(WORKERS);

    @AfterEach
    void close() {
        workers.close();
    }

    private static Upstream upstream() {
        // Half of these may be out: there is a place for each thread.
        List<NodeConfig> nodes = IntStream.range(0, 2 * WORKERS)
                .mapToObj(i -> new NodeConfig("n" + i, 80, 1))
                .toList();
        return new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        nodes,
                        null,
                        null));
    }

    private void atOnce(Runnable what) throws Exception {
        List<? extends Future<?>> all = IntStream.range(0, WORKERS)
                .mapToObj(i -> workers.submit(() -> {
                    together.await();
                    what.run();
                    return null;
                }))
                .toList();
        for (Future<?> each : all) {
            each.get();
        }
    }

    @Test
    void anEjectionCountsOnceWhoeverFindsItDue() throws Exception {
        try (LoggedLines log = new LoggedLines(Ejection.class)) {
            for (int i = 0; i < ROUNDS; i++) {
                Upstream upstream = upstream();
                Node node = upstream.nodes().get(0);
                for (int j = 0; j < 4; j++) {
                    upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
                }
                atOnce(() -> upstream.ejection().faulted(node, Node.NO_TRIAL, NOW));
                assertThat(node.ejectionCount()).as("round %d", i).isEqualTo(1);
                assertThat(upstream.ejection().count()).as("round %d", i).isEqualTo(1);
            }
            assertThat(log.lines()).hasSize(ROUNDS);
        }
    }

    @Test
    void panicCountsOnceWhoeverFindsIt() throws Exception {
        try (LoggedLines log = new LoggedLines(Upstream.class)) {
            for (int i = 0; i < ROUNDS; i++) {
                Upstream upstream = upstream();
                upstream.nodes().forEach(node -> node.down("refused"));
                atOnce(upstream::settle);
                assertThat(upstream.panicCount()).as("round %d", i).isEqualTo(1);
                assertThat(upstream.isPanicking()).isTrue();
            }
            assertThat(log.lines()).hasSize(ROUNDS);
        }
    }
}
