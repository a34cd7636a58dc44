package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.oooops.sigma.config.NodeConfig;
import org.junit.jupiter.api.Test;

class LastAnswersTest {
    private final Set<String> used = ConcurrentHashMap.newKeySet();
    private final LastAnswers answers = new LastAnswers(() -> used);
    private final List<InetAddress> one = addresses("10.0.0.1");
    private final List<InetAddress> other = addresses("10.0.0.2", "10.0.0.3");

    private static List<InetAddress> addresses(String... all) {
        return List.of(all).stream().map(LastAnswersTest::address).toList();
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theLastAnswerHolds() {
        assertThat(answers.addresses("a")).isEmpty();
        assertThat(answers.learnt("a", one)).isEqualTo(one).isSameAs(answers.addresses("a"));
        answers.learnt("a", other);
        assertThat(answers.addresses("a")).isEqualTo(other);
        assertThat(answers.nodes("s")).isNull();
        answers.learntNodes("s", List.of());
        assertThat(answers.nodes("s")).isEmpty();
    }

    /** Its own answers are later. */
    @Test
    void whatAnotherProcessKnewIsForNamesWithoutAnAnswer() {
        answers.learnt("a", one);
        answers.learntNodes("s", List.of());
        List<NodeConfig> nodes = List.of(new NodeConfig("a", 80, 1));
        answers.hear(new LastAnswers.All(Map.of("a", other, "b", other), Map.of("s", nodes, "t", nodes)));
        assertThat(answers.addresses("a")).isEqualTo(one);
        assertThat(answers.addresses("b")).isEqualTo(other);
        assertThat(answers.nodes("s")).isEmpty();
        assertThat(answers.nodes("t")).isEqualTo(nodes);
    }

    /** A service may be known whose nodes nobody has yet. */
    @Test
    void whatIsInUseIsToldToOthers() {
        answers.learnt("a", one);
        answers.learnt("of service", one);
        answers.learnt("gone", one);
        List<NodeConfig> nodes = List.of(new NodeConfig("of service", 80, 1));
        answers.learntNodes("s", nodes);
        answers.learntNodes("gone", nodes);
        used.addAll(List.of("a", "s"));
        assertThat(answers.all())
                .isEqualTo(new LastAnswers.All(Map.of("a", one, "of service", one), Map.of("s", nodes)));
    }

    @Test
    void namesThatComeAndGoAreNotKeptForEver() {
        for (int i = 0; i < 10 * LastAnswers.KEPT_MIN; i++) {
            String name = "pod-" + i;
            used.add(name);
            used.remove("pod-" + (i - 10));
            answers.learnt(name, one);
        }
        long kept = 0;
        for (int i = 0; i < 10 * LastAnswers.KEPT_MIN; i++) {
            kept += answers.addresses("pod-" + i).isEmpty() ? 0 : 1;
        }
        assertThat(kept).isBetween(10L, (long) LastAnswers.KEPT_MIN);

        for (int i = 0; i < 3 * LastAnswers.KEPT_MIN; i++) {
            used.add("node-" + i);
            answers.learnt("node-" + i, one);
        }
        assertThat(answers.all().addresses()).hasSize(3 * LastAnswers.KEPT_MIN + 10);
    }
}
