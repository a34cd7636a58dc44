package net.oooops.sigma.balance;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StickyTest {
    private record Holding(int held, int hidden) implements PickContext {
        @Override
        public boolean excludes(int node) {
            return node == hidden;
        }
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void theNodeThatTheClientHoldsIsPicked(RuleStrategy otherwise) {
        Balancer balancer = Balanced.stickyOr(otherwise, 1, 1, 1).worker(0);
        for (int node = 0; node < 3; node++) {
            for (int i = 0; i < 5; i++) {
                assertThat(balancer.pick(new Holding(node, -1))).isEqualTo(node);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(RuleStrategy.class)
    void whereItCannotBeHadAnotherIs(RuleStrategy otherwise) {
        Balancer balancer = Balanced.stickyOr(otherwise, 1, 1, 1).worker(0);
        for (int i = 0; i < 20; i++) {
            assertThat(balancer.pick(new Holding(1, 1))).isIn(0, 2);
        }
    }

    @Test
    void whoHoldsNoneIsBalanced() {
        Balancer balancer = Balanced.stickyOr(RuleStrategy.ROUND_ROBIN, 1, 1, 1).worker(0);
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            picks.append((char) ('a' + balancer.pick(PickContext.NONE)));
        }
        assertThat(picks.toString()).isEqualTo("abcabc");
    }

    @Test
    void theOtherBalancerCountsWhatHeldNodesHaveToDo() {
        Balancer balancer =
                Balanced.stickyOr(RuleStrategy.LEAST_CONNECTIONS, 1, 1).worker(0);
        balancer.started(balancer.pick(new Holding(0, -1)));
        assertThat(balancer.pick(PickContext.NONE)).isEqualTo(1);
        balancer.started(1);
        balancer.heard(1, Balancer.Heard.FAILURE, 1);
        balancer.ended(1);
        assertThat(balancer.pick(PickContext.NONE)).as("equal, in turn").isIn(0, 1);
        balancer.ended(0);
        assertThat(balancer.pick(PickContext.NONE)).isZero();
    }
}
