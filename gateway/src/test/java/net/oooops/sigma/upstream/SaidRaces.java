package net.oooops.sigma.upstream;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;

/** Several operators speak at once, and while another Upstream takes the place of the one that they speak of. */
final class SaidRaces {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    private static final Steering DRAINED = Steering.NONE.withUse(Steering.Use.DRAINED);

    private SaidRaces() {}

    private static UpstreamConfig config(UpstreamConfig.Protocol protocol) {
        return new UpstreamConfig(
                "u",
                UpstreamConfig.Discovery.STATIC_CONFIG,
                UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                protocol,
                List.of(new NodeConfig("a", 80, 1), new NodeConfig("b", 80, 1)),
                null,
                null);
    }

    private static Upstream there(NodeRegistry registry) {
        return Objects.requireNonNull(registry.find("u"));
    }

    /** One changes the weight, the other one the use. */
    @Race
    static void noWordIsLostByAnother() {
        Upstream upstream = new NodeRegistry().upstream(config(UpstreamConfig.Protocol.HTTP));
        AtOnce.run(
                () -> upstream.steer("a:80", said -> said.withWeight(5), NOW),
                () -> upstream.steer("a:80", said -> said.withUse(Steering.Use.DRAINED), NOW));
        Node node = upstream.nodes().getFirst();
        require(node.steering().equals(DRAINED.withWeight(5)), "both words: " + node.steering());
        require(node.config().weight() == 5 && !node.isAvailable(), "both in effect");
    }

    /** A reload makes another Upstream of it, as what it speaks is another. */
    @Race
    static void noWordIsLostByAReload() {
        NodeRegistry registry = new NodeRegistry();
        Upstream before = registry.upstream(config(UpstreamConfig.Protocol.HTTP));
        before.steer("b:80", DRAINED, NOW);
        Draft draft = registry.draft();
        Upstream after = draft.upstream(config(UpstreamConfig.Protocol.TCP));
        require(after != before, "another one");
        AtOnce.run(
                draft::commit,
                () -> there(registry).steer("a:80", DRAINED, NOW),
                () -> there(registry).steer("b:80", Steering.NONE, NOW));
        require(there(registry) == after, "the other one");
        require(after.nodes().get(0).isBarred(), "the word on a: " + after.said());
        require(!after.nodes().get(1).isBarred(), "the word on b: " + after.said());
    }
}
