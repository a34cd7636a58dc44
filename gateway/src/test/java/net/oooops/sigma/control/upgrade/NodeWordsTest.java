package net.oooops.sigma.control.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.socket.PlainJson;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.SteeredNodes;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Steering.Use;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators have said of nodes holds for the gateway that follows. */
class NodeWordsTest {
    private final NodeRegistry before = nodes(1, 2, 3, 4);

    private static NodeRegistry nodes(int... ports) {
        SigmaConfig config = GatewayFixture.toPorts(ports).config();
        NodeRegistry nodes = new NodeRegistry();
        nodes.upstream(config.upstreams().getFirst());
        return nodes;
    }

    private static void say(NodeRegistry to, String node, Steering said) {
        assertThat(to.all().getFirst().steer(node, _ -> said, System.nanoTime()))
                .isTrue();
    }

    private static Steering of(NodeRegistry nodes, int port) {
        return nodes.all().getFirst().nodes().stream()
                .filter(node -> node.config().port() == port)
                .map(Node::steering)
                .findFirst()
                .orElseThrow();
    }

    /** As the other process reads it. */
    private static Map<String, @Nullable Object> carried(NodeRegistry nodes) throws IOException {
        return PlainJson.read(PlainJson.line(OperatorWords.of(nodes.steered())));
    }

    @Test
    void whatWasSaidIsCarriedOver() throws IOException {
        say(before, "127.0.0.1:1", new Steering(7, Use.FREE));
        say(before, "127.0.0.1:2", new Steering(Steering.WRITTEN, Use.DRAINED));
        say(before, "127.0.0.1:3", new Steering(2, Use.EJECTED));

        NodeRegistry after = nodes(4, 3, 2, 1);
        OperatorWords.hear(carried(before), after.steered());

        assertThat(of(after, 1)).isEqualTo(new Steering(7, Use.FREE));
        assertThat(of(after, 2)).isEqualTo(new Steering(Steering.WRITTEN, Use.DRAINED));
        assertThat(of(after, 3)).isEqualTo(new Steering(2, Use.EJECTED));
        assertThat(of(after, 4)).isEqualTo(Steering.NONE);
    }

    @Test
    void whereNothingWasSaidNothingIsCarried() throws IOException {
        assertThat(carried(before)).containsEntry("nodes", List.of());
    }

    /** The configuration may be another one. */
    @Test
    void whatThereIsNoLongerIsKept() throws IOException {
        say(before, "127.0.0.1:1", new Steering(7, Use.FREE));
        say(before, "127.0.0.1:2", new Steering(8, Use.FREE));

        NodeRegistry after = nodes(2, 9);
        OperatorWords.hear(carried(before), after.steered());

        assertThat(of(after, 2)).isEqualTo(new Steering(8, Use.FREE));
        assertThat(of(after, 9)).isEqualTo(Steering.NONE);
        assertThat(after.steered().absent())
                .containsExactly(new SteeredNodes.Word("upstream", "127.0.0.1:1", new Steering(7, Use.FREE)));
        assertThat(carried(after)).as("in the order in which it was said").isEqualTo(carried(before));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "1",
                "{}",
                "[1, null, \"a\", [], {}]",
                "[{\"upstream\": \"other\", \"node\": \"127.0.0.1:1\", \"weight\": 3, \"use\": \"drained\"}]",
                "[{\"upstream\": \"upstream\", \"node\": null, \"weight\": 3, \"use\": \"drained\"}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": 3, \"use\": \"warmed\"}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": 3}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": -3, \"use\": \"drained\"}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": 99999999, \"use\": \"drained\"}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": 99999999999, \"use\": \"free\"}]",
                "[{\"upstream\": \"upstream\", \"node\": \"127.0.0.1:1\", \"weight\": \"3\", \"use\": \"drained\"}]"
            })
    void whatIsNotUnderstoodIsLeftOut(String words) throws IOException {
        say(before, "127.0.0.1:2", new Steering(7, Use.FREE));

        OperatorWords.hear(PlainJson.read(("{\"nodes\": " + words + "}").getBytes(UTF_8)), before.steered());

        assertThat(of(before, 1)).isEqualTo(Steering.NONE);
        assertThat(before.steered().absent()).allMatch(each -> each.upstream().equals("other"));
        assertThat(of(before, 2))
                .as("words take the place of all others")
                .isEqualTo(words.startsWith("[") ? Steering.NONE : new Steering(7, Use.FREE));
    }

    /** As the process that serves again does. */
    @Test
    void whatWasTakenAwayIsTakenAwayHere() throws IOException {
        NodeRegistry after = nodes(1, 2, 3, 4);
        say(before, "127.0.0.1:1", new Steering(7, Use.FREE));
        OperatorWords.hear(carried(before), after.steered());
        say(after, "127.0.0.1:1", Steering.NONE);
        say(after, "127.0.0.1:2", new Steering(Steering.WRITTEN, Use.DRAINED));

        OperatorWords.hear(carried(after), before.steered());

        assertThat(of(before, 1)).isEqualTo(Steering.NONE);
        assertThat(of(before, 2).use()).isEqualTo(Use.DRAINED);
        assertThat(before.steered().all()).hasSize(1);
    }
}
