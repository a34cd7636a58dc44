package net.oooops.sigma.balance;

import static net.oooops.sigma.balance.Traffic.answers;
import static net.oooops.sigma.balance.Traffic.between;
import static net.oooops.sigma.balance.Traffic.fails;
import static net.oooops.sigma.balance.Traffic.hangs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.testkit.ManualClock;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two random choices by latency and load. */
class TwoChoicesTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ManualClock clock = new ManualClock();

    private static Balanced nodes(int... weights) {
        return Balanced.by(RuleStrategy.P2C, weights);
    }

    private static double share(int[] given, int node) {
        return (double) given[node] / Arrays.stream(given).sum();
    }

    private static Offset<Double> within(double offset) {
        return org.assertj.core.api.Assertions.within(offset);
    }

    private static void answer(Balancer balancer, int node, long latencyNanos) {
        balancer.started(node);
        balancer.heard(node, Heard.ANSWER, latencyNanos);
        balancer.ended(node);
    }

    private static int[] counts(Balancer balancer, int nodes, int picks) {
        int[] counts = new int[nodes];
        for (int i = 0; i < picks; i++) {
            counts[balancer.pick(PickContext.NONE)]++;
        }
        return counts;
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 1_000, 20_000})
    void equalNodesGetEqualShares(int perSecond) {
        int[] given = new Traffic(nodes(1, 1, 1, 1), answers(5), answers(5), answers(5), answers(5))
                .run(perSecond, perSecond < 100 ? 200_000 : 10_000);
        for (int node = 0; node < 4; node++) {
            assertThat(share(given, node)).isCloseTo(0.25, within(0.03));
        }
    }

    /** Many requests fill nodes by their weight, few find them drawn by it. */
    @ParameterizedTest
    @ValueSource(ints = {50, 1_000, 20_000})
    void sharesGoByWeight(int perSecond) {
        int[] given = new Traffic(nodes(3, 2, 2, 1), answers(5), answers(5), answers(5), answers(5))
                .run(perSecond, perSecond < 100 ? 200_000 : 10_000);
        assertThat(share(given, 0)).isCloseTo(0.375, within(0.07));
        assertThat(share(given, 1)).isCloseTo(0.25, within(0.07));
        assertThat(share(given, 2)).isCloseTo(0.25, within(0.07));
        assertThat(share(given, 3)).isCloseTo(0.125, within(0.07));
        assertThat(given[0]).isGreaterThan(given[1]);
        assertThat(given[2]).isGreaterThan(given[3]);
    }

    @Test
    void aSlowNodeGetsLittle() {
        int[] given = new Traffic(nodes(1, 1, 1), answers(500), answers(5), answers(5)).run(2_000, 10_000);
        assertThat(share(given, 0)).isBetween(0.0001, 0.01);
        assertThat(share(given, 1)).isCloseTo(0.5, within(0.05));
    }

    /** Latency counts twice, once by itself and once by what it leaves in flight: a quarter of the other's share. */
    @Test
    void aNodeThatIsTwiceAsSlowGetsItsPart() {
        int[] given = new Traffic(nodes(1, 1), answers(10), answers(5)).run(20_000, 10_000);
        assertThat(share(given, 0)).isCloseTo(0.2, within(0.05));
    }

    @Test
    void aNodeThatFailsAtOnceIsNotRewarded() {
        for (int perSecond : new int[] {20, 2_000, 20_000}) {
            int[] given = new Traffic(nodes(1, 1, 1, 1), fails(0.1), answers(5), answers(5), answers(5))
                    .run(perSecond, perSecond < 100 ? 300_000 : 30_000);
            // At first it is tried until it is known; then now and then.
            assertThat(given[0]).as(perSecond + "/s").isBetween(3, perSecond < 100 ? 90 : 400);
            assertThat(share(given, 1)).isCloseTo(0.33, within(0.04));
        }
    }

    @Test
    void aNodeThatBeginsToFailLosesItsShareAtOnceAndGetsItBack() {
        Traffic traffic = new Traffic(
                nodes(1, 1, 1, 1), between(5_000, 15_000, fails(0.1), answers(5)), answers(5), answers(5), answers(5));
        assertThat(share(traffic.run(2_000, 5_000), 0)).isCloseTo(0.25, within(0.03));
        assertThat(traffic.run(2_000, 1_000)[0]).isLessThan(60);
        assertThat(traffic.run(2_000, 9_000)[0]).isLessThan(150);
        traffic.run(2_000, 3_000);
        assertThat(share(traffic.run(2_000, 5_000), 0)).isCloseTo(0.25, within(0.03));
    }

    @Test
    void aNodeThatFailsNowAndThenKeepsMostOfItsShare() {
        Traffic.Behaviour sometimes =
                (now, random) -> (random.nextInt(100) == 0 ? fails(0.1) : answers(5)).next(now, random);
        int[] given = new Traffic(nodes(1, 1, 1), sometimes, answers(5), answers(5)).run(2_000, 20_000);
        assertThat(share(given, 0)).isBetween(0.22, 0.34);
    }

    @Test
    void whereAllFailAllAreTried() {
        int[] given = new Traffic(nodes(1, 1, 1), fails(1), fails(1), fails(1)).run(2_000, 10_000);
        assertThat(share(given, 0)).isCloseTo(0.33, within(0.1));
        assertThat(share(given, 1)).isCloseTo(0.33, within(0.1));
    }

    @Test
    void theFirstNodeToComeBackIsFoundAtOnce() {
        Traffic traffic =
                new Traffic(nodes(1, 1, 1, 1), between(0, 20_000, fails(1), answers(5)), fails(1), fails(1), fails(1));
        traffic.run(2_000, 20_000);
        traffic.run(2_000, 1_000);
        // The others cost one in a few requests at most: two are drawn, and with this one among them it is taken.
        assertThat(share(traffic.run(2_000, 5_000), 0)).isGreaterThan(0.48);
    }

    @Test
    void aNodeThatHangsGetsLittleBeforeTheFirstTimeout() {
        Traffic traffic = new Traffic(
                nodes(1, 1, 1, 1),
                between(5_000, 60_000, hangs(2_000), answers(5)),
                answers(5),
                answers(5),
                answers(5));
        traffic.run(2_000, 5_000);
        // A quarter of what comes in 2 s would be 1,000.
        assertThat(traffic.run(2_000, 2_000)[0]).isLessThan(60);
        assertThat(traffic.run(2_000, 20_000)[0]).isLessThan(60);
    }

    @Test
    void oneLongPollDoesNotEmptyItsNode() {
        Traffic.Behaviour polled =
                (now, random) -> (random.nextInt(2_000) == 0 ? answers(20_000) : answers(5)).next(now, random);
        int[] given = new Traffic(nodes(1, 1), polled, polled).run(2_000, 60_000);
        assertThat(share(given, 0)).isBetween(0.3, 0.7);
    }

    @Test
    void aNodeNobodyMeasuredIsTriedWithOneRequest() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 0, 5 * MS);
        assertThat(counts(balancer, 2, 100)).containsExactly(0, 100);
        balancer.started(1);
        // Taken for as fast as the other now, which has nothing in flight.
        assertThat(counts(balancer, 2, 100)).containsExactly(100, 0);
    }

    @Test
    void aSlowerAnswerCountsAtOnceAndFades() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 0, 5 * MS);
        answer(balancer, 1, 5 * MS);
        answer(balancer, 0, 6 * MS);
        assertThat(counts(balancer, 2, 100)).containsExactly(0, 100);
        answer(balancer, 0, 4 * MS);
        assertThat(counts(balancer, 2, 100))
                .as("one faster answer at the same time")
                .containsExactly(0, 100);
        clock.advance(Duration.ofSeconds(30));
        answer(balancer, 1, 5 * MS);
        assertThat(counts(balancer, 2, 100)).as("what it was is long ago").containsExactly(100, 0);
    }

    @Test
    void anAnswerThatBrokeOffIsAFailure() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 0, 5 * MS);
        answer(balancer, 1, 5 * MS);
        balancer.started(0);
        balancer.heard(0, Heard.ANSWER, 5 * MS);
        balancer.heard(0, Heard.BREAK, 0);
        balancer.ended(0);
        assertThat(counts(balancer, 2, 100)).containsExactly(0, 100);
    }

    /** That they begin, and quickly, makes up for nothing: not where the other node has been slow once. */
    @Test
    void aNodeWhoseAnswersAllBreakOffIsAsOneThatFails() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 1, 5 * MS);
        for (int i = 0; i < 20; i++) {
            balancer.started(0);
            balancer.heard(0, Heard.ANSWER, MS);
            balancer.heard(0, Heard.BREAK, 0);
            balancer.ended(0);
        }
        answer(balancer, 1, 500 * MS);
        assertThat(counts(balancer, 2, 100)).containsExactly(0, 100);
        for (int i = 0; i < 20; i++) {
            answer(balancer, 0, MS);
        }
        assertThat(counts(balancer, 2, 100)).as("well again").containsExactly(100, 0);
    }

    @Test
    void whatWasGivenUpTellsThatItWouldHaveTakenLonger() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 0, 5 * MS);
        answer(balancer, 1, 6 * MS);
        balancer.started(0);
        balancer.heard(0, Heard.NOTHING, 2 * MS);
        balancer.ended(0);
        assertThat(counts(balancer, 2, 100)).as("less than it takes").containsExactly(100, 0);
        balancer.started(0);
        balancer.heard(0, Heard.NOTHING, 90 * MS);
        balancer.ended(0);
        assertThat(counts(balancer, 2, 100)).containsExactly(0, 100);
    }

    @Test
    void hiddenNodesAreNeverPicked() {
        Balancer balancer = nodes(4, 1, 1, 9, 1, 1).worker(0);
        int[] counts = new int[6];
        for (int i = 0; i < 10_000; i++) {
            counts[balancer.pick(node -> node == 0 || node == 3)]++;
        }
        assertThat(counts[0] + counts[3]).isZero();
        assertThat(counts[1]).isBetween(2_200, 2_800);
        assertThat(balancer.pick(node -> node != 4)).isEqualTo(4);
    }

    @Test
    void endingMoreThanStartedIsAFault() {
        Balancer balancer = nodes(1, 1).worker(0);
        assertThatThrownBy(() -> balancer.ended(1)).hasMessage("node 1: ended more often than started");
    }

    /** A session that waits for its connection doesn't make a node silent that talks in others. */
    @Test
    void aNodeThatTalksInOneSessionIsNotSilentInAnother() {
        Balancer balancer = nodes(1, 1).at(clock);
        answer(balancer, 0, 5 * MS);
        answer(balancer, 1, 5 * MS);
        balancer.started(0);
        balancer.started(1);
        balancer.heard(1, Heard.ANSWER, 5 * MS);
        clock.advance(Duration.ofMillis(40));
        assertThat(counts(balancer, 2, 1_000)[0]).isZero();
        balancer.alive(0);

        assertThat(counts(balancer, 2, 1_000)[0]).isPositive();
    }
}
