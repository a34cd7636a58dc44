package net.oooops.sigma.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import org.junit.jupiter.api.Test;

class SourceHashTest {
    private static final int SOURCES = 50_000;

    private record From(long source, int tried) implements PickContext {
        @Override
        public boolean excludes(int node) {
            return node == tried;
        }
    }

    private static NodeConfig node(int number, int weight) {
        return new NodeConfig("10.0.0." + number, 5432, weight);
    }

    private static Balancer balancer(List<NodeConfig> nodes, int worker) {
        return Balanced.by(RuleStrategy.SOURCE_HASH, nodes).worker(worker);
    }

    /** The node of each of many sources, by name; sources are neighbours, as clients of one network are. */
    private static List<String> picks(List<NodeConfig> nodes, int tried) {
        Balancer balancer = balancer(nodes, 0);
        List<String> picks = new ArrayList<>();
        for (int source = 0; source < SOURCES; source++) {
            picks.add(nodes.get(balancer.pick(new From(0x0A000000L + source, tried)))
                    .host());
        }
        return picks;
    }

    private static long count(List<String> picks, NodeConfig node) {
        return picks.stream().filter(node.host()::equals).count();
    }

    @Test
    void theSameSourceHasTheSameNodeOnEveryWorkerAndInAnyOrder() {
        List<NodeConfig> nodes = List.of(node(1, 1), node(2, 1), node(3, 1), node(4, 1));
        assertThat(picks(nodes, -1)).isEqualTo(picks(nodes.reversed(), -1));
        Balancer one = balancer(nodes, 0);
        Balancer two = balancer(nodes, 1);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            From from = new From(random.nextLong(), -1);
            assertThat(one.pick(from)).isEqualTo(two.pick(from)).isEqualTo(one.pick(from));
        }
    }

    @Test
    void sharesGoByWeight() {
        List<NodeConfig> equal = List.of(node(1, 7), node(2, 7), node(3, 7), node(4, 7));
        List<NodeConfig> weighted = List.of(node(1, 1), node(2, 2), node(3, 5));
        for (NodeConfig node : equal) {
            assertThat(count(picks(equal, -1), node)).isCloseTo(SOURCES / 4, within(500L));
        }
        for (NodeConfig node : weighted) {
            assertThat(count(picks(weighted, -1), node)).isCloseTo((long) SOURCES * node.weight() / 8, within(500L));
        }
    }

    @Test
    void aNodeThatIsGoneMovesItsShareOnly() {
        for (int weight : new int[] {1, 3}) {
            List<NodeConfig> all = List.of(node(1, 1), node(2, weight), node(3, 1), node(4, 1));
            List<NodeConfig> left = List.of(all.get(0), all.get(1), all.get(3));
            List<String> before = picks(all, -1);
            List<String> after = picks(left, -1);
            for (int i = 0; i < SOURCES; i++) {
                if (!before.get(i).equals(all.get(2).host())) {
                    assertThat(after.get(i)).isEqualTo(before.get(i));
                }
            }
            // One that can't be reached is passed over in the same way.
            assertThat(picks(all, 2)).isEqualTo(after);
        }
    }

    @Test
    void aNodeThatIsNewTakesItsShareOnly() {
        List<NodeConfig> before = List.of(node(1, 1), node(2, 3));
        List<NodeConfig> after = List.of(node(1, 1), node(2, 3), node(3, 4));
        List<String> old = picks(before, -1);
        List<String> now = picks(after, -1);
        int moved = 0;
        for (int i = 0; i < SOURCES; i++) {
            if (!old.get(i).equals(now.get(i))) {
                moved++;
                assertThat(now.get(i)).isEqualTo(after.get(2).host());
            }
        }
        assertThat(moved).isCloseTo(SOURCES / 2, within(500));
    }
}
