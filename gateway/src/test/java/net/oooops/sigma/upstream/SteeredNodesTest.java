package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.upstream.SteeredNodes.Word;
import net.oooops.sigma.upstream.Steering.Use;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What operators say of nodes outlives nodes and Upstreams. */
@Isolated("log lines")
class SteeredNodesTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    private static final Steering DRAINED = Steering.NONE.withUse(Use.DRAINED);

    private final NodeRegistry registry = new NodeRegistry();
    private final SteeredNodes steered = registry.steered();

    private Upstream follow(Said... said) {
        Draft draft = registry.draft();
        for (Said each : said) {
            draft.upstream(each.config());
        }
        draft.commit();
        return registry.all().getFirst();
    }

    private static Said u() {
        return Said.of("u").hosts("a", "b");
    }

    private static Said v() {
        return Said.of("v").hosts("a", "b");
    }

    @Test
    void whoseUpstreamWasAwayIsSteeredAsBefore() {
        Upstream before = follow(u());
        before.steer("a:80", _ -> DRAINED.withWeight(3), NOW);
        assertThat(steered.absent()).isEmpty();
        Upstream other = follow(v());
        assertThat(other.nodes().getFirst().steering()).isEqualTo(Steering.NONE);
        assertThat(steered.absent()).containsExactly(new Word("u", "a:80", DRAINED.withWeight(3)));
        assertThat(steered.all()).isEqualTo(steered.absent());

        Upstream again = follow(u());
        assertThat(again).isNotSameAs(before);
        assertThat(again.nodes().getFirst().steering()).isEqualTo(DRAINED.withWeight(3));
        assertThat(again.nodes().getFirst().config().weight()).isEqualTo(3);
        assertThat(again.availableCount()).isEqualTo(1);
        assertThat(again.isWhole()).isFalse();
        assertThat(steered.absent()).isEmpty();
    }

    /** What is said while a reload is made ready holds when it takes effect. */
    @Test
    void whatIsSaidMeanwhileHolds() {
        follow(u()).steer("a:80", _ -> DRAINED, NOW);
        follow(v());
        Draft draft = registry.draft();
        Upstream again = draft.upstream(u().config());
        assertThat(again.nodes().getFirst().isBarred()).isTrue();
        assertThat(steered.restore("u", "a:80", NOW)).isTrue();
        assertThat(steered.restore("u", "a:80", NOW)).isFalse();
        draft.commit();
        assertThat(again.nodes().getFirst().isBarred()).isFalse();
        assertThat(again.isWhole()).isTrue();
    }

    @Test
    void whoIsThereIsRestoredToo() {
        Upstream upstream = follow(u());
        upstream.steer("a:80", _ -> DRAINED, NOW);
        try (LoggedLines log = new LoggedLines(SteeredNodes.class)) {
            assertThat(steered.restore("u", "a:80", NOW)).isTrue();
            assertThat(upstream.nodes().getFirst().isBarred()).isFalse();
            upstream.steer("b:80", _ -> DRAINED, NOW);
            follow(u().hosts("a"));
            assertThat(steered.restore("u", "b:80", NOW)).isTrue();
            assertThat(steered.restore("w", "b:80", NOW)).isFalse();
            assertThat(log.lines())
                    .containsExactly("INFO upstream u node b:80, which isn't there: used, as an operator says");
        }
    }

    @Test
    void whatIsHeardTakesThePlaceOfAll() {
        Upstream upstream = follow(u());
        upstream.steer("a:80", _ -> DRAINED, NOW);
        steered.hear(
                List.of(
                        new Word("w", "c:80", DRAINED),
                        new Word("u", "b:80", DRAINED),
                        new Word("x", "d:80", Steering.NONE)),
                NOW);
        assertThat(upstream.nodes()).extracting(Node::isBarred).containsExactly(false, true);
        assertThat(steered.all()).containsExactly(new Word("w", "c:80", DRAINED), new Word("u", "b:80", DRAINED));
        assertThat(steered.absent()).containsExactly(new Word("w", "c:80", DRAINED));
    }

    /** Who used it by then has found out how it is: what had it ejected here is forgotten, and it gets its requests slowly. */
    @Test
    void whoIsRestoredElsewhereReturnsHere() {
        Upstream upstream = follow(u());
        Node node = upstream.nodes().getFirst();
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
        }
        assertThat(node.state()).isEqualTo(Node.State.EJECTED);
        upstream.steer("a:80", _ -> DRAINED, NOW);
        upstream.steer("b:80", _ -> Steering.NONE.withWeight(3), NOW);
        steered.hear(List.of(new Word("u", "b:80", Steering.NONE.withWeight(3))), NOW);
        assertThat(node.state()).isEqualTo(Node.State.AVAILABLE);
        assertThat(upstream.ejection().share(node, NOW)).isLessThan(1);
        assertThat(upstream.ejection().share(upstream.nodes().getLast(), NOW)).isEqualTo(1);
    }

    @Test
    void eachChangeIsTold() {
        Upstream upstream = follow(u());
        AtomicInteger told = new AtomicInteger();
        steered.listen(told::incrementAndGet);
        upstream.steer("a:80", _ -> DRAINED, NOW);
        assertThat(told).hasValue(1);
        upstream.steer("z:80", _ -> DRAINED, NOW);
        assertThat(told).as("there is no such node").hasValue(1);
        steered.restore("u", "a:80", NOW);
        assertThat(told).hasValue(2);
    }

    /** However long ago it was said of those that are there. */
    @Test
    void whatIsSaidFirstOfThoseThatAreAwayIsForgotten() {
        List<Word> words = new ArrayList<>();
        words.add(new Word("u", "a:80", DRAINED));
        for (int i = 0; i < SteeredNodes.WORDS_MAX + 1; i++) {
            words.add(new Word("w", "n" + i + ":80", DRAINED));
        }
        follow(u());
        try (LoggedLines log = new LoggedLines(SteeredNodes.class)) {
            steered.hear(words, NOW);
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().getFirst()).contains("upstream w node n0:80, which isn't there: ");
        }
        assertThat(steered.all()).hasSize(SteeredNodes.WORDS_MAX).startsWith(words.getFirst(), words.get(3));
    }
}
