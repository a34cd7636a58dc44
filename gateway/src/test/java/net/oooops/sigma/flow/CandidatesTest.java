package net.oooops.sigma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.Tried;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets single requests to find out if it is well again. */
class CandidatesTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    private static final long LATER = NOW + TimeUnit.MINUTES.toNanos(2);

    private final DefaultEventLoop loop = new DefaultEventLoop();

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private static Upstream upstream() {
        return new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        List.of(
                                new NodeConfig("first", 80, 1, false, ""),
                                new NodeConfig("second", 80, 1, true, ""),
                                new NodeConfig("third", 80, 1, true, "")),
                        null,
                        null));
    }

    private static Node toTrial(Upstream upstream, int index) {
        Node node = upstream.nodes().get(index);
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node, false, NOW);
        }
        // A sign of life.
        upstream.ejection().answered(node, false, false, LATER);
        assertThat(node.state()).isEqualTo(Node.State.TRIAL);
        return node;
    }

    private int pick(Candidates candidates, Upstream upstream) {
        List<NodeConfig> configs = upstream.nodes().stream().map(Node::config).toList();
        Balancer balancer = Balancer.of(upstream.config(), configs, 0, () -> LATER);
        candidates.begin();
        return candidates.pick(balancer, Tried.NONE, true);
    }

    private Candidates candidates(Upstream upstream) {
        Candidates candidates = new Candidates(new LoopClock(loop, () -> LATER), upstream);
        candidates.among(upstream.nodes());
        return candidates;
    }

    @Test
    void aBackupThatIsOutIsNotTriedOutWhileTheOthersServe() {
        Upstream upstream = upstream();
        toTrial(upstream, 1);
        Candidates candidates = candidates(upstream);
        for (int i = 0; i < 10; i++) {
            assertThat(pick(candidates, upstream)).isZero();
            assertThat(candidates.isTrial()).isFalse();
        }
        upstream.checked(upstream.nodes().get(0), "down", LATER);

        assertThat(pick(candidates, upstream)).isEqualTo(1);
        assertThat(candidates.isTrial()).isTrue();
    }

    @Test
    void aNodeOfTheFirstGroupIsTriedOutWhileBackupsServe() {
        Upstream upstream = upstream();
        Node first = toTrial(upstream, 0);
        assertThat(first.isAside()).as("backups serve").isTrue();
        Candidates candidates = candidates(upstream);

        assertThat(pick(candidates, upstream)).isZero();
        assertThat(candidates.isTrial()).isTrue();
    }

    @Test
    void besideATryOnlyNodesOfWhichNothingButGoodIsKnown() {
        Upstream upstream = new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        List.of(
                                new NodeConfig("busy", 80, 1, false, ""),
                                new NodeConfig("failed", 80, 1, false, ""),
                                new NodeConfig("down", 80, 1, false, ""),
                                new NodeConfig("ejected", 80, 1, false, ""),
                                new NodeConfig("tried", 80, 1, false, ""),
                                new NodeConfig("good", 80, 1, false, ""),
                                new NodeConfig("backup", 80, 1, true, "")),
                        null,
                        null));
        upstream.ejection().faulted(upstream.nodes().get(1), false, LATER);
        upstream.checked(upstream.nodes().get(2), "down", LATER);
        toTrial(upstream, 3);
        Tried beside = candidates(upstream).beside(node -> node == 4, 0);

        for (int node = 0; node < 7; node++) {
            assertThat(beside.contains(node))
                    .as(upstream.nodes().get(node).name())
                    .isEqualTo(node != 5);
        }
    }
}
