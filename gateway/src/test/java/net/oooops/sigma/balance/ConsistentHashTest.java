package net.oooops.sigma.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.junit.jupiter.api.Test;

class ConsistentHashTest {
    private static final int KEYS = 50_000;
    private static final HashConfig BY_FIELD = new HashConfig(HashConfig.By.FIELD, "X-User", 1.25);
    private static final HashConfig UNBOUNDED = new HashConfig(HashConfig.By.FIELD, "X-User", HashConfig.UNBOUNDED);

    private record Asking(long key, int hidden) implements PickContext {
        @Override
        public boolean excludes(int node) {
            return node == hidden;
        }
    }

    private static Asking key(int number) {
        return new Asking(KeyHash.end(KeyHash.add(KeyHash.BEGIN, "user-" + number)), -1);
    }

    private static Balancer balancer(HashConfig hash, List<NodeConfig> nodes) {
        return Balanced.byHash(hash, nodes).worker(0);
    }

    /** The host of each key's node. */
    private static List<String> picks(List<NodeConfig> nodes, int hidden) {
        Balancer balancer = balancer(BY_FIELD, nodes);
        List<String> picks = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            picks.add(nodes.get(balancer.pick(new Asking(key(i).key, hidden))).host());
        }
        return picks;
    }

    private static long count(List<String> picks, NodeConfig node) {
        return picks.stream().filter(node.host()::equals).count();
    }

    @Test
    void keysAreSharedOutByWeight() {
        List<NodeConfig> nodes = Balanced.nodes(1, 2, 5);
        List<String> picks = picks(nodes, -1);
        for (NodeConfig node : nodes) {
            assertThat(count(picks, node)).isCloseTo((long) KEYS * node.weight() / 8, within(600L));
        }
    }

    @Test
    void aNodeThatIsGoneOrNewMovesItsShareOnly() {
        for (int weight : new int[] {1, 3}) {
            List<NodeConfig> all = Balanced.nodes(1, 1, weight, 1);
            List<NodeConfig> left = List.of(all.get(3), all.get(1), all.get(0));
            List<String> with = picks(all, -1);
            List<String> without = picks(left, -1);
            for (int i = 0; i < KEYS; i++) {
                if (!with.get(i).equals("10.0.0.2")) {
                    assertThat(without.get(i)).isEqualTo(with.get(i));
                }
            }
            assertThat(count(without, all.get(0))).isCloseTo(KEYS / 3, within(600L));
            // Where it is but hidden, its keys go where they would if it were gone.
            assertThat(picks(all, 2)).isEqualTo(without);
        }
    }

    @Test
    void everyWorkerPicksTheSame() {
        Balanced nodes = Balanced.byHash(BY_FIELD, Balanced.nodes(1, 2, 3, 4));
        Balancer one = nodes.worker(0);
        Balancer two = nodes.worker(7);
        for (int i = 0; i < 1_000; i++) {
            assertThat(one.pick(key(i))).isEqualTo(two.pick(key(i)));
        }
    }

    /** One key alone, and most of the requests with one key: no node has more than the bound says. */
    @Test
    void noNodeHasMoreThanItsPart() {
        for (int[] weights : new int[][] {{1, 1, 1, 1}, {3, 1, 1, 5}}) {
            for (double maxLoad : new double[] {1.01, 1.25, 2}) {
                Balancer balancer =
                        balancer(new HashConfig(HashConfig.By.FIELD, "X-User", maxLoad), Balanced.nodes(weights));
                SplittableRandom random = new SplittableRandom(1);
                int total = java.util.Arrays.stream(weights).sum();
                int[] inFlight = new int[weights.length];
                for (int all = 1; all <= 2_000; all++) {
                    int node = balancer.pick(key(random.nextInt(3) == 0 ? random.nextInt() : 1));
                    balancer.started(node);
                    inFlight[node]++;
                    assertThat((double) inFlight[node])
                            .isLessThanOrEqualTo(
                                    Math.max(ConsistentHash.ALWAYS, Math.ceil(maxLoad * all * weights[node] / total)));
                }
            }
        }
    }

    @Test
    void whatOneNodeGivesAwayGoesToTheKeysNext() {
        List<NodeConfig> nodes = Balanced.nodes(1, 1, 1, 1);
        Balancer balancer = balancer(BY_FIELD, nodes);
        int first = balancer.pick(key(1));
        int next = balancer.pick(new Asking(key(1).key, first));
        for (int i = 0; i < ConsistentHash.ALWAYS; i++) {
            assertThat(balancer.pick(key(1))).isEqualTo(first);
            balancer.started(first);
        }
        assertThat(balancer.pick(key(1))).isEqualTo(next);
        balancer.ended(first);
        assertThat(balancer.pick(key(1))).isEqualTo(first);
    }

    @Test
    void keysStayWhereLoadIsAverage() {
        Balancer balancer = balancer(BY_FIELD, Balanced.nodes(1, 1, 1, 1));
        int first = balancer.pick(key(1));
        for (int i = 0; i < 400; i++) {
            balancer.started(i % 4);
        }
        for (int i = 0; i < 25; i++) {
            assertThat(balancer.pick(key(1))).isEqualTo(first);
            balancer.started(first);
            balancer.started((first + 1) % 4);
        }
        assertThat(balancer.pick(key(1))).isEqualTo(first);
    }

    /** The average is that of the nodes that can be had: what the others have doesn't make room, nor take it. */
    @Test
    void hiddenNodesDoNotCountForTheAverage() {
        Balancer balancer = balancer(BY_FIELD, Balanced.nodes(1, 1, 1));
        int hidden = balancer.pick(key(1));
        int next = balancer.pick(new Asking(key(1).key, hidden));
        for (int i = 0; i < 1_000; i++) {
            balancer.started(hidden);
        }
        int picked = 0;
        for (int i = 0; i < 200; i++) {
            int node = balancer.pick(new Asking(key(1).key, hidden));
            balancer.started(node);
            picked += node == next ? 1 : 0;
        }
        // 1.25 times the half.
        assertThat(picked).isBetween(124, 126);
    }

    @Test
    void withoutBoundOneNodeTakesAll() {
        Balancer balancer = balancer(UNBOUNDED, Balanced.nodes(1, 1, 1));
        int first = balancer.pick(key(1));
        for (int i = 0; i < 1_000; i++) {
            balancer.started(first);
        }
        assertThat(balancer.pick(key(1))).isEqualTo(first);
    }

    @Test
    void requestsWithoutTheKeyTakeTurns() {
        Balancer balancer = balancer(BY_FIELD, Balanced.nodes(1, 1, 1));
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            picks.append((char) ('a' + balancer.pick(PickContext.NONE)));
        }
        assertThat(picks.toString()).isEqualTo("abcabc");
    }

    @Test
    void theClientsAddressIsAKeyToo() {
        HashConfig byAddress = new HashConfig(HashConfig.By.CLIENT_ADDRESS, "", 1.25);
        List<NodeConfig> nodes = Balanced.nodes(1, 1, 1, 1);
        Balancer balancer = balancer(byAddress, nodes);
        Balancer sources =
                Balanced.by(UpstreamConfig.RuleStrategy.SOURCE_HASH, nodes).worker(0);
        for (int i = 0; i < 1_000; i++) {
            PickContext client = new Client(i);
            assertThat(balancer.pick(client)).isEqualTo(sources.pick(client));
        }
    }

    private record Client(long source) implements PickContext {
        @Override
        public boolean excludes(int node) {
            return false;
        }
    }

    @Test
    void withoutSomethingToHashByThereIsNone() {
        UpstreamConfig by = Balanced.byHash(BY_FIELD, Balanced.nodes(1)).upstream();
        UpstreamConfig without =
                new UpstreamConfig(by.id(), by.discovery(), by.ruleStrategy(), by.protocol(), by.nodes(), null, null);
        assertThatThrownBy(() -> Balancer.of(without, without.nodes(), 0, () -> 0))
                .hasMessage("hash: none (expected: one beside consistent-hash)");
    }

    @Test
    void theSameOctetsMakeTheSameKeyWhereverTheyStand() {
        byte[] bytes = {'a', 'b', (byte) 0xE9, 'c'};
        assertThat(KeyHash.add(KeyHash.BEGIN, bytes, 1, 3)).isEqualTo(KeyHash.add(KeyHash.BEGIN, "b\u00e9"));
        assertThat(KeyHash.end(KeyHash.add(KeyHash.BEGIN, "b\u00e9")))
                .isNotEqualTo(KeyHash.end(KeyHash.add(KeyHash.BEGIN, "b\u00e8")));
    }
}
