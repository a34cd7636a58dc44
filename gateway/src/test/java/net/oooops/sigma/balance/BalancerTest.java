package net.oooops.sigma.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BalancerTest {

    private static Balancer balancer(RuleStrategy strategy, int[] weights, int seed) {
        List<NodeConfig> nodes = new ArrayList<>();
        for (int weight : weights) {
            nodes.add(new NodeConfig("10.0.0." + nodes.size(), 80, weight));
        }
        return Balanced.by(strategy, nodes).worker(seed);
    }

    private static Balancer roundRobin(int seed, int... weights) {
        return balancer(RuleStrategy.ROUND_ROBIN, weights, seed);
    }

    private static Balancer random(int seed, int... weights) {
        return balancer(RuleStrategy.RANDOM, weights, seed);
    }

    private static Balancer leastConnections(int seed, int... weights) {
        return balancer(RuleStrategy.LEAST_CONNECTIONS, weights, seed);
    }

    /** The picks as letters, a for node 0. */
    private static String picks(Balancer balancer, int count, PickContext context) {
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < count; i++) {
            picks.append((char) ('a' + balancer.pick(context)));
        }
        return picks.toString();
    }

    private static int[] counts(Balancer balancer, int nodes, int picks, PickContext context) {
        int[] counts = new int[nodes];
        for (int i = 0; i < picks; i++) {
            counts[balancer.pick(context)]++;
        }
        return counts;
    }

    private static PickContext only(int node) {
        return other -> other == node;
    }

    @Test
    void roundRobinIsSmooth() {
        assertThat(picks(roundRobin(0, 5, 1, 1), 14, PickContext.NONE)).isEqualTo("aabacaaaabacaa");
        assertThat(picks(roundRobin(0, 1, 2, 3), 12, PickContext.NONE)).isEqualTo("cbacbccbacbc");
    }

    @Test
    void roundRobinWithEqualWeightsIsARotation() {
        assertThat(picks(roundRobin(0, 1, 1, 1), 7, PickContext.NONE)).isEqualTo("abcabca");
        assertThat(picks(roundRobin(0, 4, 4), 4, PickContext.NONE)).isEqualTo("abab");
        assertThat(picks(roundRobin(0, 9), 3, PickContext.NONE)).isEqualTo("aaa");
    }

    @ParameterizedTest
    @CsvSource({"0, abcabc", "1, bcabca", "2, cabcab", "3, abcabc", "-1, cabcab"})
    void eachWorkerBeginsElsewhere(int seed, String picks) {
        assertThat(picks(roundRobin(seed, 1, 1, 1), 6, PickContext.NONE)).isEqualTo(picks);
        assertThat(picks(leastConnections(seed, 1, 1, 1), 6, PickContext.NONE)).isEqualTo(picks);
    }

    @Test
    void eachWorkerBeginsElsewhereInASmoothSequenceToo() {
        assertThat(picks(roundRobin(2, 5, 1, 1), 7, PickContext.NONE)).isEqualTo("bacaaaa");
        assertThat(picks(roundRobin(7, 5, 1, 1), 7, PickContext.NONE)).isEqualTo("aabacaa");
    }

    @Test
    void theTurnsOfATriedNodeGoToAllOthers() {
        assertThat(counts(roundRobin(0, 1, 1, 1, 1), 4, 1200, only(1))).containsExactly(400, 0, 400, 400);
        assertThat(counts(roundRobin(0, 5, 2, 1), 3, 1200, only(0))).containsExactly(0, 800, 400);
    }

    @Test
    void aRetryGoesToAnotherNode() {
        Balancer balancer = roundRobin(0, 1, 1, 1);
        int first = balancer.pick(PickContext.NONE);
        assertThat(balancer.pick(only(first))).isNotEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void whereAllAreTriedNoneIsPicked(RuleStrategy strategy) {
        assertThat(balancer(strategy, new int[] {1, 1}, 0).pick(node -> true)).isEqualTo(-1);
        assertThat(balancer(strategy, new int[] {3, 1}, 0).pick(node -> true)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void theLastNodeLeftIsPicked(RuleStrategy strategy) {
        for (int[] weights : new int[][] {{1, 1, 1}, {3, 1, 2}}) {
            Balancer balancer = balancer(strategy, weights, 5);
            assertThat(picks(balancer, 20, node -> node != 1)).isEqualTo("b".repeat(20));
        }
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void whatCannotBeBalancedIsRefused(RuleStrategy strategy) {
        assertThatThrownBy(() -> balancer(strategy, new int[0], 0)).hasMessage("nodes: 0 (expected: >= 1)");
        assertThatThrownBy(() -> balancer(strategy, new int[] {1, 0}, 0)).hasMessage("weight: 0 (expected: >= 1)");
    }

    @Test
    void randomPicksFollowTheWeights() {
        int[] weighted = counts(random(0, 5, 1, 4), 3, 100_000, PickContext.NONE);
        assertThat(weighted[0]).isCloseTo(50_000, within(1_000));
        assertThat(weighted[1]).isCloseTo(10_000, within(1_000));
        int[] equal = counts(random(1, 2, 2, 2, 2), 4, 100_000, PickContext.NONE);
        assertThat(Arrays.stream(equal).boxed())
                .allSatisfy(count -> assertThat(count).isCloseTo(25_000, within(1_000)));
    }

    @Test
    void randomPicksFollowTheWeightsOfTheNodesThatAreLeft() {
        int[] weighted = counts(random(0, 5, 1, 3), 3, 100_000, only(0));
        assertThat(weighted[0]).isZero();
        assertThat(weighted[1]).isCloseTo(25_000, within(1_000));
        int[] equal = counts(random(1, 1, 1, 1), 3, 100_000, only(2));
        assertThat(equal[0]).isCloseTo(50_000, within(1_000));
        assertThat(equal[2]).isZero();
    }

    @Test
    void randomPicksOfWorkersDiffer() {
        String one = picks(random(0, 1, 1, 1), 50, PickContext.NONE);
        assertThat(picks(random(1, 1, 1, 1), 50, PickContext.NONE)).isNotEqualTo(one);
        assertThat(picks(random(0, 1, 1, 1), 50, PickContext.NONE)).isEqualTo(one);
        assertThat(picks(random(-1, 1, 1, 1), 50, PickContext.NONE)).contains("a", "b", "c");
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void picksAllocateNothing(RuleStrategy strategy) {
        Balancer balancer = balancer(strategy, new int[] {1, 2, 3, 4}, 0);
        PickContext context = only(2);
        assertThat(Allocation.bytes(() -> {
                    int node = balancer.pick(context);
                    balancer.started(node);
                    balancer.heard(node, Balancer.Heard.ANSWER, 1_000);
                    balancer.ended(node);
                }))
                .isZero();
    }

    @Test
    void leastConnectionsPicksTheNodeWithFewestInFlight() {
        Balancer balancer = leastConnections(0, 1, 1, 1);
        balancer.started(0);
        balancer.started(0);
        balancer.started(2);
        assertThat(picks(balancer, 3, PickContext.NONE)).isEqualTo("bbb");
        balancer.started(1);
        assertThat(picks(balancer, 4, PickContext.NONE)).matches("(bc){2}|(cb){2}");
        assertThat(picks(balancer, 2, node -> node > 0)).isEqualTo("aa");
        balancer.ended(0);
        balancer.ended(0);
        assertThat(picks(balancer, 2, PickContext.NONE)).isEqualTo("aa");
    }

    @Test
    void leastConnectionsFillsNodesByTheirWeight() {
        Balancer balancer = leastConnections(0, 3, 1);
        int[] inFlight = new int[2];
        for (int i = 0; i < 400; i++) {
            int node = balancer.pick(PickContext.NONE);
            balancer.started(node);
            inFlight[node]++;
        }
        assertThat(inFlight).containsExactly(300, 100);
    }

    @Test
    void idleNodesTakeTurnsByTheirWeight() {
        assertThat(counts(leastConnections(0, 3, 1), 2, 400, PickContext.NONE)).containsExactly(300, 100);
        assertThat(counts(leastConnections(0, 1, 1, 1), 3, 300, PickContext.NONE))
                .containsExactly(100, 100, 100);
    }

    @Test
    void leastConnectionsSparesASlowNode() {
        Balancer balancer = leastConnections(0, 1, 1);
        Random random = new Random(3);
        Deque<Integer> quick = new ArrayDeque<>();
        Deque<Integer> slow = new ArrayDeque<>();
        int[] given = new int[2];
        for (int i = 0; i < 10_000; i++) {
            int node = balancer.pick(PickContext.NONE);
            balancer.started(node);
            given[node]++;
            (node == 0 ? quick : slow).add(node);
            // Node 0 ends what it has at once, node 1 one request in ten turns.
            quick.forEach(balancer::ended);
            quick.clear();
            if (!slow.isEmpty() && random.nextInt(10) == 0) {
                balancer.ended(slow.remove());
            }
        }
        assertThat(given[1]).isBetween(500, 2_000);
    }

    @Test
    void endingMoreThanStartedIsAFault() {
        Balancer balancer = leastConnections(0, 1, 1);
        assertThatThrownBy(() -> balancer.ended(1)).hasMessage("node 1: ended more often than started");
    }
}
