package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.GatewayFixture;
import org.junit.jupiter.api.Test;

class NodeTallyTest {
    private final Node node = new NodeRegistry()
            .upstream(GatewayFixture.toPorts(1).config().upstreams().getFirst())
            .nodes()
            .getFirst();

    @Test
    void aLatencyIsInTheFirstBucketThatHasRoomForIt() {
        NodeTally tally = node.tally(0);
        long[] bounds = NodeCounts.boundsNanos();
        tally.observed(0);
        long sum = 0;
        for (long bound : bounds) {
            tally.observed(bound);
            tally.observed(bound + 1);
            sum += 2 * bound + 1;
        }
        NodeCounts counts = node.counts();
        assertThat(bounds).isSorted();
        assertThat(counts.buckets())
                .hasSize(bounds.length + 1)
                .startsWith(2, 2, 2)
                .endsWith(2, 1);
        assertThat(counts.latencyNanos()).isEqualTo(sum);
    }

    @Test
    void theCountsOfAllWorkersAreAdded() {
        for (int i = 0; i < 3; i++) {
            NodeTally tally = node.tally(i);
            tally.began();
            tally.began();
            tally.sent();
            tally.connectFailed();
            tally.failed();
            tally.retried();
            tally.observed(1_000_000);
        }
        NodeCounts counts = node.counts();
        assertThat(counts.requests()).isEqualTo(3);
        assertThat(counts.connectFailures()).isEqualTo(3);
        assertThat(counts.failures()).isEqualTo(3);
        assertThat(counts.retries()).isEqualTo(3);
        assertThat(counts.buckets()).startsWith(0, 3, 0);
    }
}
