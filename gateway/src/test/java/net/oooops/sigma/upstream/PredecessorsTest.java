package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.upstream.Node.State;
import org.junit.jupiter.api.Test;

/** Which nodes go on as others of their hosts and ports were, where a node moves from one Upstream to another. */
class PredecessorsTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final NodeRegistry registry = new NodeRegistry();

    private void follow(Said... said) {
        Draft draft = registry.draft();
        for (Said each : said) {
            draft.upstream(each.config());
        }
        draft.commit();
    }

    private Upstream upstream(String id) {
        return Objects.requireNonNull(registry.find(id));
    }

    private void eject(String id, int index) {
        Upstream upstream = upstream(id);
        Node node = upstream.nodes().get(index);
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
        }
        assertThat(node.state()).isEqualTo(State.EJECTED);
    }

    /** Only one of the two may be out. */
    @Test
    void whoLeavesHoldsNoPlaceOfOneThatComes() {
        follow(Said.of("u").hosts("a", "b"), Said.of("v").hosts("c", "d"));
        eject("u", 0);
        eject("v", 0);
        follow(Said.of("u").hosts("b", "c"), Said.of("v").hosts("d"));
        assertThat(upstream("u").nodes()).extracting(Node::state).containsExactly(State.AVAILABLE, State.EJECTED);
        assertThat(upstream("u").ejection().outCount()).isEqualTo(1);
    }

    /** That nothing answers at a port of TCP says nothing of what answers at that of UDP. */
    @Test
    void datagramsAreAnotherMatter() {
        follow(
                Said.of("u").hosts("b"),
                Said.of("v").hosts("c", "d").protocol(Protocol.UDP),
                Said.of("w").hosts("c", "d").protocol(Protocol.TCP));
        eject("v", 0);
        eject("w", 1);
        follow(
                Said.of("u").hosts("b", "c", "d"),
                Said.of("v").hosts("e").protocol(Protocol.UDP),
                Said.of("w").hosts("e").protocol(Protocol.TCP));
        assertThat(upstream("u").nodes())
                .extracting(Node::state)
                .containsExactly(State.AVAILABLE, State.AVAILABLE, State.TRIAL);
    }

    /** Whether it is another Upstream of the same id, too. */
    @Test
    void whoSpeaksInDatagramsNowIsNotTriedOutForWhatItWas() {
        follow(Said.of("u").hosts("a", "b").protocol(Protocol.TCP));
        eject("u", 0);
        follow(Said.of("u").hosts("a", "b").protocol(Protocol.UDP));
        assertThat(upstream("u").nodes()).extracting(Node::state).containsOnly(State.AVAILABLE);
    }
}
