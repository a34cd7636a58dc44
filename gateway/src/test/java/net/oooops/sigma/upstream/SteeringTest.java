package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.upstream.Steering.Use;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What an operator says of nodes. */
@Isolated("log lines")
class SteeringTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    private static final Steering DRAINED = Steering.NONE.withUse(Use.DRAINED);
    private static final Steering EJECTED = Steering.NONE.withUse(Use.EJECTED);

    private final Upstream upstream =
            new NodeRegistry().upstream(Said.of("u").hosts("a", "b", "c", "d").config());

    private Node node(int index) {
        return upstream.nodes().get(index);
    }

    private void steer(String host, Steering said) {
        assertThat(upstream.steer(host + ":80", _ -> said, NOW)).isTrue();
    }

    @Test
    void aWeightHoldsWhateverIsWritten() {
        List<Node> before = upstream.nodes();
        steer("a", Steering.NONE.withWeight(9));
        assertThat(node(0).config().weight()).isEqualTo(9);
        assertThat(upstream.nodes()).as("Workers are to see it").isNotSameAs(before);
        assertThat(upstream.isWhole()).isTrue();
        upstream.replaceNodes(List.of(new NodeConfig("b", 80, 1), new NodeConfig("a", 80, 2, false, "z")));
        assertThat(node(1).config()).isEqualTo(new NodeConfig("a", 80, 9, false, "z"));
        steer("a", Steering.NONE);
        assertThat(node(1).config().weight()).isEqualTo(2);
    }

    @Test
    void itIsHeldAgainstNoChangeOfNodes() {
        steer("a", Steering.NONE.withWeight(9));
        List<Node> before = upstream.nodes();
        assertThat(upstream.replaceNodes(List.of(
                        new NodeConfig("a", 80, 1),
                        new NodeConfig("b", 80, 1),
                        new NodeConfig("c", 80, 1),
                        new NodeConfig("d", 80, 1))))
                .as("what is written has not changed")
                .isFalse();
        assertThat(upstream.nodes()).isSameAs(before);
        assertThat(upstream.changeCount()).isZero();
    }

    @Test
    void itOutlivesTheNode() {
        steer("a", DRAINED);
        Node gone = node(0);
        upstream.replaceNodes(List.of(new NodeConfig("b", 80, 1)));
        upstream.replaceNodes(List.of(new NodeConfig("a", 80, 1)));
        assertThat(node(0)).isNotSameAs(gone);
        assertThat(node(0).steering()).isEqualTo(DRAINED);
    }

    @Test
    void whoIsBarredIsNoneOfThoseThatThereAre() {
        steer("a", DRAINED);
        steer("b", EJECTED);
        steer("c", DRAINED);
        assertThat(upstream.availableCount()).isEqualTo(1);
        assertThat(upstream.isWhole()).isFalse();
        assertThat(upstream.isPanicking()).as("one of one").isFalse();
        for (int i = 0; i < 10; i++) {
            upstream.ejection().faulted(node(3), Node.NO_TRIAL, NOW);
        }
        assertThat(node(3).isAvailable()).as("the last one").isTrue();
        upstream.checked(node(3), "refused", NOW);
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(upstream.nodes().stream().filter(node -> node.isUsed(true))).containsExactly(node(3));
    }

    @Test
    void whatWaitsAtADrainedNodeStaysThere() {
        steer("a", DRAINED);
        steer("b", EJECTED);
        assertThat(node(0).isLeft()).isFalse();
        assertThat(node(1).isLeft()).isTrue();
        upstream.checked(node(0), "refused", NOW);
        assertThat(node(0).isLeft()).isTrue();
        assertThat(node(0).why()).isEqualTo("drained by an operator");
        assertThat(node(1).why()).isEqualTo("ejected by an operator");
        assertThat(node(1).sinceMillis()).isPositive();
    }

    @Test
    void restoredItComesBackSlowly() {
        steer("a", EJECTED);
        upstream.tick(NOW + TimeUnit.HOURS.toNanos(1));
        assertThat(node(0).isAvailable()).as("until it is restored").isFalse();
        steer("a", Steering.NONE);
        assertThat(node(0).isAvailable()).isTrue();
        assertThat(upstream.ejection().share(node(0), NOW)).isLessThan(1);
        upstream.tick(NOW + TimeUnit.HOURS.toNanos(2));
        assertThat(upstream.isWhole()).isTrue();
    }

    @Test
    void whoWasEjectedByItsOwnAnswersIsRestored() {
        for (int index : new int[] {0, 1}) {
            for (int i = 0; i < 5; i++) {
                upstream.ejection().faulted(node(index), Node.NO_TRIAL, NOW);
            }
        }
        assertThat(upstream.availableCount()).isEqualTo(2);
        steer("a", Steering.NONE);
        assertThat(node(0).isAvailable()).isTrue();
        steer("b", EJECTED);
        assertThat(node(1).state()).as("an operator's word stands for all").isEqualTo(Node.State.AVAILABLE);
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node(1), Node.NO_TRIAL, NOW);
            upstream.ejection().faulted(node(2), Node.NO_TRIAL, NOW);
        }
        assertThat(node(1).state()).isEqualTo(Node.State.AVAILABLE);
        assertThat(node(2).state()).as("there is a place for it").isEqualTo(Node.State.EJECTED);
    }

    @Test
    void eachWordIsSaidOnce() {
        try (LoggedLines log = new LoggedLines(Upstream.class)) {
            steer("a", DRAINED);
            steer("a", DRAINED);
            steer("a", EJECTED.withWeight(3));
            steer("a", Steering.NONE);
            steer("a", Steering.NONE);
            assertThat(log.lines())
                    .containsExactly(
                            "INFO upstream u node a: drained, as an operator says",
                            "INFO upstream u node a: ejected, with weight 3, as an operator says",
                            "INFO upstream u node a: used, as an operator says");
        }
    }

    @Test
    void thereHasToBeSuchANode() {
        assertThat(upstream.steer("z:80", _ -> DRAINED, NOW)).isFalse();
        assertThatThrownBy(() -> Steering.NONE.withWeight(NodeConfig.WEIGHT_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Steering.NONE.withWeight(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsSaidOfNodesThatAreGoneIsForgottenAtLast() {
        try (LoggedLines log = new LoggedLines(Upstream.class);
                LoggedLines forgotten = new LoggedLines(SteeredNodes.class)) {
            for (int i = 0; i < 10_000; i++) {
                upstream.replaceNodes(List.of(new NodeConfig("stays", 80, 1), new NodeConfig("n" + i, 80, 1)));
                steer("n" + i, DRAINED);
                if (i == 0) {
                    steer("stays", DRAINED);
                }
            }
            assertThat(log.lines()).hasSize(10_001);
            assertThat(forgotten.lines())
                    .containsExactly("WARN upstream u node n0:80, which isn't there: what an operator has said of it"
                            + " (drained) is forgotten, as there are more than 10000 words");
        }
        upstream.replaceNodes(
                List.of(new NodeConfig("stays", 80, 1), new NodeConfig("n0", 80, 1), new NodeConfig("n9999", 80, 1)));
        assertThat(upstream.nodes()).extracting(Node::isBarred).containsExactly(true, false, true);
    }
}
