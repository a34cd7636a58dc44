package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RetryBudgetConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gets single requests to find out if it is well again. */
class CandidatesTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    private static final long LATER = NOW + TimeUnit.MINUTES.toNanos(2);

    private final DefaultEventLoop loop = new DefaultEventLoop();

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** Of four nodes, the last ones backups or not. */
    private static Upstream upstream(RuleStrategy strategy, boolean backups) {
        return new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        strategy,
                        UpstreamConfig.Protocol.HTTP,
                        List.of(
                                new NodeConfig("first", 80, 1, false, ""),
                                new NodeConfig("second", 80, 1, backups, ""),
                                new NodeConfig("third", 80, 1, backups, ""),
                                new NodeConfig("fourth", 80, 1, backups, "")),
                        new HashConfig(HashConfig.By.PATH, "", HashConfig.UNBOUNDED),
                        null));
    }

    /** A request with that key, that source, and a cookie of that node. */
    private record Keyed(long key, int held) implements PickContext {
        @Override
        public boolean excludes(int index) {
            return false;
        }

        @Override
        public long source() {
            return key;
        }
    }

    private static Node toTrial(Upstream upstream, int index) {
        Node node = upstream.nodes().get(index);
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
        }
        // A sign of life.
        upstream.ejection().answered(node, false, Node.NO_TRIAL, LATER);
        assertThat(node.state()).isEqualTo(Node.State.TRIAL);
        return node;
    }

    private int pick(Candidates candidates, Upstream upstream) {
        return pick(candidates, upstream, PickContext.NONE);
    }

    private int pick(Candidates candidates, Upstream upstream, PickContext asking) {
        List<NodeConfig> configs = upstream.nodes().stream().map(Node::config).toList();
        Balancer balancer = Balancer.of(upstream.config(), configs, 0, () -> LATER);
        candidates.begin();
        return candidates.pick(balancer, asking, true);
    }

    private Candidates candidates(Upstream upstream) {
        Candidates candidates = new Candidates(new LoopClock(loop, () -> LATER), upstream);
        candidates.among(upstream.nodes());
        return candidates;
    }

    @Test
    void aBackupThatIsOutIsNotTriedOutWhileTheOthersServe() {
        Upstream upstream = upstream(RuleStrategy.ROUND_ROBIN, true);
        toTrial(upstream, 1);
        Candidates candidates = candidates(upstream);
        for (int i = 0; i < 10; i++) {
            assertThat(pick(candidates, upstream)).isZero();
            assertThat(candidates.trial() != Node.NO_TRIAL).isFalse();
        }
        upstream.checked(upstream.nodes().get(0), "down", LATER);

        assertThat(pick(candidates, upstream)).isEqualTo(1);
        assertThat(candidates.trial() != Node.NO_TRIAL).isTrue();
    }

    @Test
    void aNodeOfTheFirstGroupIsTriedOutWhileBackupsServe() {
        Upstream upstream = upstream(RuleStrategy.ROUND_ROBIN, true);
        Node first = toTrial(upstream, 0);
        assertThat(first.isAside()).as("backups serve").isTrue();
        Candidates candidates = candidates(upstream);

        assertThat(pick(candidates, upstream)).isZero();
        assertThat(candidates.trial() != Node.NO_TRIAL).isTrue();
    }

    @Test
    void aBackupIsTheLastToBeTried() {
        List<NodeConfig> nodes = List.of(
                new NodeConfig("here", 80, 1, false, "a"),
                new NodeConfig("there", 80, 1, false, "b"),
                new NodeConfig("backup", 80, 1, true, "a"),
                new NodeConfig("away", 80, 1, false, "b"));
        Upstream upstream = new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        nodes,
                        HealthConfig.DEFAULT,
                        RetryBudgetConfig.DEFAULT,
                        BreakerConfig.DEFAULT,
                        "a",
                        null,
                        null,
                        UpstreamConfig.HttpVersion.HTTP_1_1,
                        null));
        Candidates candidates = candidates(upstream);
        Balancer balancer = Balancer.of(upstream.config(), nodes, 0, () -> LATER);
        for (int turn = 0; turn < 10; turn++) {
            List<Integer> tried = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                candidates.begin();
                tried.add(candidates.pick(balancer, tried::contains, true));
            }
            assertThat(tried.getFirst()).as("of the own zone").isZero();
            assertThat(tried.getLast()).as("the backup").isEqualTo(2);
        }
        assertThat(candidates.pick(balancer, node -> true, true)).isEqualTo(-1);
    }

    @Test
    void whoseCookieNamesAnotherNodeTriesNoneOut() {
        Upstream upstream = upstream(RuleStrategy.ROUND_ROBIN, false);
        toTrial(upstream, 1);
        Candidates candidates = candidates(upstream);
        pick(candidates, upstream, new Keyed(1, 0));
        assertThat(candidates.trial() != Node.NO_TRIAL).as("its node is well").isFalse();

        // Its own, or a node that isn't in use, or that there no longer is, keeps nobody.
        for (int held : new int[] {1, 2, 7}) {
            upstream.checked(upstream.nodes().get(2), "down", LATER);
            assertThat(pick(candidates, upstream, new Keyed(1, held))).isEqualTo(1);
            assertThat(candidates.trial() != Node.NO_TRIAL).as("held " + held).isTrue();
            upstream.ejection().trialUndecided(upstream.nodes().get(1), candidates.trial());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RuleStrategy.class,
            names = {"SOURCE_HASH", "CONSISTENT_HASH"})
    void aKeyTriesOutItsOwnNodeOnly(RuleStrategy strategy) {
        Upstream upstream = upstream(strategy, false);
        Candidates candidates = candidates(upstream);
        int[] homes = new int[100];
        for (int key = 1; key < homes.length; key++) {
            homes[key] = pick(candidates, upstream, new Keyed(key, -1));
        }
        toTrial(upstream, 1);
        for (int key = 1; key < homes.length; key++) {
            int node = pick(candidates, upstream, new Keyed(key, -1));
            assertThat(node).isEqualTo(homes[key]);
            assertThat(candidates.trial() != Node.NO_TRIAL).isEqualTo(homes[key] == 1);
            upstream.ejection().trialUndecided(upstream.nodes().get(1), candidates.trial());
        }
    }

    @Test
    void aKeyWhoseNodesAreBackupsTriesOutTheFirstGroup() {
        Upstream upstream = upstream(RuleStrategy.SOURCE_HASH, true);
        toTrial(upstream, 0);
        Candidates candidates = candidates(upstream);
        for (int key = 1; key < 20; key++) {
            assertThat(pick(candidates, upstream, new Keyed(key, -1))).isZero();
            assertThat(candidates.trial() != Node.NO_TRIAL).isTrue();
            upstream.ejection().trialUndecided(upstream.nodes().get(0), candidates.trial());
        }
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
        upstream.ejection().faulted(upstream.nodes().get(1), Node.NO_TRIAL, LATER);
        upstream.checked(upstream.nodes().get(2), "down", LATER);
        toTrial(upstream, 3);
        PickContext beside = candidates(upstream).beside(node -> node == 4, 0);

        for (int node = 0; node < 7; node++) {
            assertThat(beside.excludes(node))
                    .as(upstream.nodes().get(node).name())
                    .isEqualTo(node != 5);
        }
    }

    /** Else a request would cost more, the more nodes there are. */
    @Test
    void aRequestLooksAtFewOfThoseThatAreOnTrialAndAllGetTheirTurn() {
        List<NodeConfig> nodes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            nodes.add(new NodeConfig("n" + i, 80, 1));
        }
        Upstream upstream = new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        nodes,
                        null,
                        null));
        for (int i = 0; i < 200; i++) {
            toTrial(upstream, i * 2);
        }
        Candidates candidates = candidates(upstream);
        Balancer balancer = Balancer.of(upstream.config(), nodes, 0, () -> LATER);
        Set<Integer> tried = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            candidates.begin();
            tried.add(candidates.pick(balancer, PickContext.NONE, true));
            assertThat(candidates.trial() != Node.NO_TRIAL).isTrue();
        }
        assertThat(tried).hasSize(200);

        AtomicInteger asked = new AtomicInteger();
        PickContext counting = node -> asked.incrementAndGet() < 0;
        for (int i = 0; i < 100; i++) {
            candidates.begin();
            candidates.pick(balancer, counting, true);
            assertThat(candidates.trial() != Node.NO_TRIAL)
                    .as("all are being tried")
                    .isFalse();
        }
        assertThat(asked.get()).isLessThan(100 * 10);
    }
}
