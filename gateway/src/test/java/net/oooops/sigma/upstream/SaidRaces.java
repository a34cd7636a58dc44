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
        before.steer("b:80", _ -> DRAINED, NOW);
        Draft draft = registry.draft();
        Upstream after = draft.upstream(config(UpstreamConfig.Protocol.TCP));
        require(after != before, "another one");
        AtOnce.run(
                draft::commit,
                () -> there(registry).steer("a:80", _ -> DRAINED, NOW),
                () -> there(registry).steer("b:80", _ -> Steering.NONE, NOW));
        require(there(registry) == after, "the other one");
        require(
                after.nodes().get(0).isBarred(),
                "the word on a: " + registry.steered().all());
        require(
                !after.nodes().get(1).isBarred(),
                "the word on b: " + registry.steered().all());
    }

    /** A reload brings an Upstream back while an operator takes away what was said of its nodes. */
    @Race
    static void whatIsTakenAwayDoesNotComeBack() {
        NodeRegistry registry = new NodeRegistry();
        registry.upstream(config(UpstreamConfig.Protocol.HTTP)).steer("a:80", _ -> DRAINED, NOW);
        registry.draft().commit();
        Draft draft = registry.draft();
        Upstream again = draft.upstream(config(UpstreamConfig.Protocol.HTTP));
        AtOnce.run(draft::commit, () -> registry.steered().restore("u", "a:80", NOW));
        require(
                registry.steered().all().isEmpty(),
                "nothing is said: " + registry.steered().all());
        require(!again.nodes().getFirst().isBarred(), "nothing is left of the word");
    }

    /** The same of a node that comes back to an Upstream that has stayed. */
    @Race
    static void whatIsTakenAwayOfANodeDoesNotComeBack() {
        NodeRegistry registry = new NodeRegistry();
        Upstream upstream = registry.upstream(config(UpstreamConfig.Protocol.HTTP));
        List<NodeConfig> both = upstream.config().nodes();
        upstream.steer("a:80", _ -> DRAINED, NOW);
        upstream.replaceNodes(both.subList(1, 2));
        AtOnce.run(() -> upstream.replaceNodes(both), () -> registry.steered().restore("u", "a:80", NOW));
        require(!upstream.nodes().getFirst().isBarred(), "nothing is left of the word");
    }

    /** An operator drains a node while a reload takes its Upstream away, and the next one brings it back. */
    @Race
    static void aWordOnWhatGoesAndComesBackIsKept() {
        NodeRegistry registry = new NodeRegistry();
        Upstream before = registry.upstream(config(UpstreamConfig.Protocol.HTTP));
        AtOnce.run(
                () -> {
                    registry.draft().commit();
                    registry.upstream(config(UpstreamConfig.Protocol.HTTP));
                },
                () -> before.steer("a:80", _ -> DRAINED, NOW));
        require(there(registry) != before, "another one");
        require(
                there(registry).nodes().getFirst().isBarred(),
                "the word: " + registry.steered().all());
    }

    /** A node moves from one Upstream to another while an operator speaks of that one. */
    @Race
    static void whoComesIsAsItWasWhateverIsSaidOfOthers() {
        NodeRegistry registry = new NodeRegistry();
        follow(registry, Said.of("u").hosts("a", "b"), Said.of("v").hosts("c", "d"));
        Upstream v = Objects.requireNonNull(registry.find("v"));
        for (int i = 0; i < 5; i++) {
            v.ejection().faulted(v.nodes().getFirst(), Node.NO_TRIAL, NOW);
        }
        AtOnce.run(
                () -> follow(
                        registry,
                        Said.of("u").hosts("a", "b", "c"),
                        Said.of("v").hosts("d")),
                () -> there(registry).steer("b:80", said -> said.withWeight(5), NOW));
        Node c = there(registry).nodes().get(2);
        require(c.state() == Node.State.EJECTED, "ejected: " + c.state());
        require(there(registry).predecessors() == Predecessors.NONE, "those who come later are others");
    }

    private static void follow(NodeRegistry registry, Said... said) {
        Draft draft = registry.draft();
        for (Said each : said) {
            draft.upstream(each.config());
        }
        draft.commit();
    }
}
