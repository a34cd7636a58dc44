package net.oooops.sigma.upstream;

import static net.oooops.sigma.races.AtOnce.require;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.Race;
import net.oooops.sigma.upstream.Node.State;

/** Nodes leave and come back while others do, operators speak, and lists of nodes change. */
final class EjectionRaces {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);
    /** After which an ejected node is tried out. */
    private static final long LATER = NOW + 2 * PassiveConfig.DEFAULT.ejectionNanosMax();

    private static final Steering DRAINED = Steering.NONE.withUse(Steering.Use.DRAINED);

    private final Upstream upstream;

    private EjectionRaces(int nodes) {
        List<NodeConfig> configs = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            configs.add(new NodeConfig("n" + i, 80, 1));
        }
        upstream = new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        configs,
                        null,
                        null));
    }

    private Node node(int index) {
        return upstream.nodes().get(index);
    }

    private void fault(Node node, int times) {
        for (int i = 0; i < times; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
        }
    }

    /** One more fault, and it is to leave. */
    private Node failing(int index) {
        Node node = node(index);
        fault(node, PassiveConfig.DEFAULT.faultsMax() - 1);
        return node;
    }

    private Node onTrial(int index) {
        Node node = failing(index);
        fault(node, 1);
        upstream.tick(LATER);
        require(node.state() == State.TRIAL, "a node on trial: " + node.state());
        return node;
    }

    /** Of four nodes as many are out as have a place, and no more than two. */
    private void requireCounted() {
        long out = upstream.nodes().stream()
                .filter(node -> node.state() != State.AVAILABLE && !node.isBarred())
                .count();
        int places = upstream.ejection().outCount();
        require(out <= 2, "two nodes out at most: " + out);
        require(places == out, "a place for each node that is out: " + places + " for " + out);
    }

    /** Three are found bad at once, and there is room for two. */
    @Race
    static void noMoreAreOutThanMay() {
        EjectionRaces model = new EjectionRaces(4);
        List<Node> bad = List.of(model.failing(0), model.failing(1), model.failing(2));
        AtOnce.run(
                () -> model.fault(bad.get(0), 1), () -> model.fault(bad.get(1), 1), () -> model.fault(bad.get(2), 1));
        model.requireCounted();
        require(
                model.upstream.ejection().count() == 2,
                "two ejections: " + model.upstream.ejection().count());
    }

    /** While a node leaves, another list takes the place of the one that there is. */
    @Race
    static void listsChangeWhileNodesLeave() {
        EjectionRaces model = new EjectionRaces(4);
        Node stays = model.failing(0);
        Node goes = model.failing(3);
        List<NodeConfig> other = new ArrayList<>(model.upstream.config().nodes());
        other.set(3, new NodeConfig("other", 80, 1));
        AtOnce.run(() -> model.fault(stays, 1), () -> model.fault(goes, 1), () -> model.upstream.replaceNodes(other));
        model.requireCounted();
        // What is still under way to a node that is gone fails, too.
        model.fault(goes, 1);
        model.requireCounted();
    }

    /** A node is on trial: its trial passes while an operator takes it back. */
    @Race
    static void aTrialPassesWhileAnOperatorRestores() {
        EjectionRaces model = new EjectionRaces(4);
        Node node = model.onTrial(0);
        Ejection ejection = model.upstream.ejection();
        for (int i = 1; i < PassiveConfig.DEFAULT.trials(); i++) {
            ejection.answered(node, false, ejection.tryOut(node, true, LATER), LATER);
        }
        int last = ejection.tryOut(node, true, LATER);
        require(last != Node.NO_TRIAL, "the last trial");
        AtOnce.run(
                () -> ejection.answered(node, false, last, LATER),
                () -> model.upstream.steer("n0:80", _ -> Steering.NONE, LATER));
        require(node.state() == State.AVAILABLE, "a node that is back: " + node.state());
        model.requireCounted();
    }

    /** An operator drains a node while its requests have it ejected: it takes no other one's place. */
    @Race
    static void whoIsDrainedTakesNoPlace() {
        EjectionRaces model = new EjectionRaces(4);
        Node node = model.failing(0);
        AtOnce.run(
                () -> model.fault(node, 1),
                () -> model.upstream.steer("n0:80", _ -> DRAINED, NOW),
                () -> model.upstream.replaceNodes(
                        model.upstream.config().nodes().subList(0, 3)));
        require(node.isBarred(), "a node that is drained");
        model.requireCounted();
        model.upstream.steer("n0:80", _ -> Steering.NONE, NOW);
        require(node.isAvailable(), "a node that is used: " + node.why());
        model.requireCounted();
    }

    /** Whoever asks first tries a node out; the others don't. */
    @Race
    static void oneRequestIsTheTrial() {
        EjectionRaces model = new EjectionRaces(4);
        Node node = model.onTrial(0);
        AtomicInteger trials = new AtomicInteger();
        AtOnce.Part ask = () -> {
            if (model.upstream.ejection().tryOut(node, true, LATER) != Node.NO_TRIAL) {
                trials.incrementAndGet();
            }
        };
        AtOnce.run(ask, ask, ask);
        require(trials.get() == 1, "one trial: " + trials);
    }

    /** What is asked for every request is what follows from the nodes, whoever changes them last. */
    @Race
    static void whatIsWorkedOutHolds() {
        EjectionRaces model = new EjectionRaces(3);
        Upstream upstream = model.upstream;
        AtOnce.run(
                () -> upstream.checked(model.node(0), "refused", NOW),
                () -> {
                    upstream.checked(model.node(1), "refused", NOW);
                    upstream.checked(model.node(1), null, NOW);
                },
                () -> upstream.steer("n2:80", _ -> DRAINED, NOW));
        // Of two that count one is well.
        require(!upstream.isPanicking() && !upstream.isWhole(), "neither whole nor panicking");
        AtOnce.run(
                () -> upstream.checked(model.node(0), null, NOW),
                () -> upstream.checked(model.node(1), "refused", NOW),
                () -> upstream.checked(model.node(2), "refused", NOW));
        upstream.checked(model.node(0), "refused", NOW);
        require(upstream.isPanicking(), "panicking");
    }
}
