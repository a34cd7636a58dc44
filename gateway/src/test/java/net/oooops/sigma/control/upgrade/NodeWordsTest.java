package net.oooops.sigma.control.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.socket.PlainJson;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Steering.Use;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators have said of nodes holds for the gateway that follows. */
class NodeWordsTest {
    private final Upstream before = upstream(1, 2, 3, 4);

    private static Upstream upstream(int... ports) {
        SigmaConfig config = GatewayFixture.toPorts(ports).config();
        NodeRegistry nodes = new NodeRegistry();
        nodes.upstream(config.upstreams().getFirst());
        return nodes.all().getFirst();
    }

    private static void say(Upstream to, String node, Steering said) {
        assertThat(to.steer(node, said, System.nanoTime())).isTrue();
    }

    private static Steering of(Upstream upstream, int port) {
        return upstream.nodes().stream()
                .filter(node -> node.config().port() == port)
                .map(Node::steering)
                .findFirst()
                .orElseThrow();
    }

    /** As the other process reads it. */
    private static Object carried(List<Upstream> upstreams) throws IOException {
        return Objects.requireNonNull(PlainJson.read(PlainJson.line(Map.of("nodes", NodeWords.of(upstreams))))
                .get("nodes"));
    }

    @Test
    void whatWasSaidIsCarriedOver() throws IOException {
        say(before, "127.0.0.1:1", new Steering(7, Use.FREE));
        say(before, "127.0.0.1:2", new Steering(Steering.WRITTEN, Use.DRAINED));
        say(before, "127.0.0.1:3", new Steering(2, Use.EJECTED));

        Upstream after = upstream(4, 3, 2, 1);
        NodeWords.say(carried(List.of(before)), List.of(after));

        assertThat(of(after, 1)).isEqualTo(new Steering(7, Use.FREE));
        assertThat(of(after, 2)).isEqualTo(new Steering(Steering.WRITTEN, Use.DRAINED));
        assertThat(of(after, 3)).isEqualTo(new Steering(2, Use.EJECTED));
        assertThat(of(after, 4)).isEqualTo(Steering.NONE);
    }

    @Test
    void whereNothingWasSaidNothingIsCarried() throws IOException {
        assertThat(carried(List.of(before))).isEqualTo(List.of());
    }

    /** The configuration may be another one. */
    @Test
    void whatThereIsNoLongerIsLeftOut() throws IOException {
        say(before, "127.0.0.1:1", new Steering(7, Use.FREE));
        say(before, "127.0.0.1:2", new Steering(8, Use.FREE));

        Upstream after = upstream(2, 9);
        NodeWords.say(carried(List.of(before)), List.of(after));

        assertThat(of(after, 2)).isEqualTo(new Steering(8, Use.FREE));
        assertThat(of(after, 9)).isEqualTo(Steering.NONE);
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

        NodeWords.say(
                PlainJson.read(("{\"nodes\": " + words + "}").getBytes(UTF_8)).get("nodes"), List.of(before));

        assertThat(of(before, 1)).isEqualTo(Steering.NONE);
        assertThat(of(before, 2)).isEqualTo(new Steering(7, Use.FREE));
    }
}
