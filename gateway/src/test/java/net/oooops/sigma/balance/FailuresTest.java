package net.oooops.sigma.balance;

import static net.oooops.sigma.balance.Traffic.answers;
import static net.oooops.sigma.balance.Traffic.between;
import static net.oooops.sigma.balance.Traffic.fails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Least-connections where nodes fail. */
class FailuresTest {
    private static Balanced nodes(int... weights) {
        return Balanced.by(RuleStrategy.LEAST_CONNECTIONS, weights);
    }

    private static double share(int[] given, int node) {
        return (double) given[node] / Arrays.stream(given).sum();
    }

    private static void fail(Balancer balancer, int node) {
        balancer.started(node);
        balancer.heard(node, Heard.FAILURE, 1);
        balancer.ended(node);
    }

    @ParameterizedTest
    @CsvSource({"20, 50", "2000, 200", "20000, 800"})
    void aNodeThatFailsAtOnceIsNotRewarded(int perSecond, int most) {
        int[] given =
                new Traffic(nodes(1, 1, 1, 1), fails(0.1), answers(5), answers(5), answers(5)).run(perSecond, 30_000);
        assertThat(given[0]).isBetween(2, most);
        assertThat(share(given, 1)).isCloseTo(0.33, within(0.03));
    }

    @Test
    void norIsOneOfMoreWeight() {
        int[] given = new Traffic(nodes(100, 1, 1), fails(0.1), answers(5), answers(5)).run(20_000, 30_000);
        assertThat(share(given, 0)).isLessThan(0.1);
    }

    @Test
    void aNodeThatFailedGetsItsShareBack() {
        Traffic traffic =
                new Traffic(nodes(1, 1, 1), between(0, 5_000, fails(0.1), answers(5)), answers(5), answers(5));
        traffic.run(2_000, 25_000);
        assertThat(share(traffic.run(2_000, 5_000), 0)).isCloseTo(0.33, within(0.03));
    }

    @Test
    void afterAnOutageOfAllTheOneThatTookNoPartIsNotFlooded() {
        Traffic.Behaviour out = between(0, 20_000, fails(0.1), answers(5));
        Traffic traffic = new Traffic(nodes(1, 1, 1), out, out, between(19_990, 20_000, fails(0.1), answers(5)));
        traffic.run(2_000, 40_000);
        assertThat(share(traffic.run(2_000, 10_000), 2)).isCloseTo(0.33, within(0.05));
    }

    @Test
    void aFailureCountsForAWhile() {
        ManualClock clock = new ManualClock();
        Balancer balancer = nodes(1, 1).at(clock);
        fail(balancer, 0);
        assertThat(picks(balancer)).isEqualTo("bbbbbbbb");
        clock.advance(Duration.ofSeconds(10));
        assertThat(picks(balancer)).isEqualTo("bbbbbbbb");
        balancer.started(1);
        assertThat(picks(balancer)).as("less than one in flight by now").isEqualTo("aaaaaaaa");
        balancer.ended(1);
        clock.advance(Duration.ofSeconds(2));
        assertThat(picks(balancer)).matches("(ab){4}|(ba){4}");
    }

    @Test
    void anAnswerThatBrokeOffCountsAndOneThatNobodyWaitedForDoesNot() {
        Balancer balancer = nodes(1, 1).at(new ManualClock());
        balancer.started(0);
        balancer.heard(0, Heard.NOTHING, 1);
        balancer.ended(0);
        assertThat(picks(balancer)).matches("(ab){4}|(ba){4}");
        balancer.started(0);
        balancer.heard(0, Heard.ANSWER, 1);
        balancer.heard(0, Heard.BREAK, 0);
        balancer.ended(0);
        assertThat(picks(balancer)).isEqualTo("bbbbbbbb");
    }

    private static String picks(Balancer balancer) {
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            picks.append((char) ('a' + balancer.pick(PickContext.NONE)));
        }
        return picks.toString();
    }
}
