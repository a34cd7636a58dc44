package net.oooops.sigma.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * An Upstream on one Worker: its balancer and its Nodes.
 *
 * @param <N> what its Nodes are, by their protocol
 */
public final class UpstreamGroup<N extends WorkerNode> {
    /** Makes a Node of the kind that the Upstream has. */
    public interface Maker<N> {
        N make(WorkerNode.Place place, Node node);
    }

    private final LoopContext loop;
    private final Upstream upstream;
    private final Maker<N> maker;
    private final Candidates candidates;
    /** The list that {@link #nodes} was made of: another one is there where nodes have changed. */
    private List<Node> known;
    /** What was said of it then. */
    private UpstreamConfig config;

    private List<N> nodes;
    /** Where the last node was found that could be picked, and the last one that was well: most often they are still. */
    private int foundLast;

    private int wellLast;
    private Basis basis;
    private Balancer balancer;
    /** Null while the nodes' numbers are their places. */
    private @Nullable Renumbered renumbered;

    /** What a balancer is made of: where that is the same it goes on, with all that it knows. */
    private record Basis(
            RuleStrategy strategy,
            @Nullable HashConfig hash,
            boolean sticky,
            List<String> names,
            List<Integer> weights) {
        static Basis of(UpstreamConfig config, List<Node> nodes) {
            return new Basis(
                    config.ruleStrategy(),
                    config.hash(),
                    config.sticky() != null,
                    nodes.stream().map(node -> node.config().hostAndPort()).toList(),
                    nodes.stream().map(node -> node.config().weight()).toList());
        }
    }

    UpstreamGroup(LoopContext loop, Upstream upstream, Maker<N> maker) {
        this.loop = loop;
        this.upstream = upstream;
        this.maker = maker;
        this.known = upstream.nodes();
        this.config = upstream.config();
        this.nodes = List.of();
        this.basis = Basis.of(config, known);
        this.balancer = balancer(config, known);
        this.renumbered = renumbered(known);
        this.nodes = made(known, balancer);
        this.candidates = new Candidates(loop.clock(), upstream);
        candidates.among(known);
    }

    private static @Nullable Renumbered renumbered(List<Node> of) {
        Renumbered renumbered = Renumbered.of(of);
        return renumbered.isNeedless() ? null : renumbered;
    }

    private Balancer balancer(UpstreamConfig said, List<Node> of) {
        if (of.isEmpty()) {
            return context -> -1;
        }
        List<NodeConfig> configs = of.stream().map(Node::config).toList();
        return Balancer.of(said, configs, loop.number(), loop.clock()::nanos);
    }

    /** What is there of these already stays, as it is where one that is new can't be made. */
    private List<N> made(List<Node> of, Balancer by) {
        Map<Node, N> before = new HashMap<>();
        nodes.forEach(each -> before.put(each.node(), each));
        List<N> made = new ArrayList<>();
        List<N> fresh = new ArrayList<>();
        try {
            for (Node node : of) {
                N there = before.get(node);
                N one = there == null ? made(node, by, made.size()) : there;
                made.add(one);
                if (there == null) {
                    fresh.add(one);
                }
            }
        } catch (RuntimeException | Error e) {
            fresh.forEach(WorkerNode::retire);
            throw e;
        }
        for (int i = 0; i < made.size(); i++) {
            made.get(i).move(by, i);
        }
        return List.copyOf(made);
    }

    /** Where it can't be made, nothing is left of it: it is tried again with each tick. */
    private N made(Node node, Balancer by, int index) {
        WorkerNode.Means means = WorkerNode.Means.of(loop, upstream, node);
        try {
            return maker.make(new WorkerNode.Place(loop, by, index, upstream, means), node);
        } catch (RuntimeException | Error e) {
            means.giveBack();
            throw e;
        }
    }

    /** Now and then: takes up nodes that have come, closes what is left of those that are gone, and has the others look after themselves. */
    void tick() {
        if (takeUp()) {
            nodes.forEach(WorkerNode::follow);
        }
        for (N node : nodes) {
            node.publish();
        }
    }

    /** The Upstream, or what holds for all of them, may have been configured anew. */
    void follow() {
        takeUp();
        for (N node : nodes) {
            node.follow();
            // Who is new is to know its addresses soon.
            node.publish();
        }
    }

    /** Returns whether other things are said of the Upstream. */
    @SuppressWarnings("ReferenceEquality") // Others are there only where something has changed.
    private boolean takeUp() {
        UpstreamConfig said = upstream.config();
        List<Node> now = upstream.nodes();
        boolean other = said != config;
        if (!other && now == known) {
            return false;
        }
        Basis needed = Basis.of(said, now);
        Balancer by = needed.equals(basis) ? balancer : balancer(said, now);
        Renumbered between = renumbered(now);
        // Where this throws, all is as it was, and the next tick tries once more.
        List<N> made = made(now, by);
        List<N> before = nodes;
        config = said;
        basis = needed;
        balancer = by;
        known = now;
        renumbered = between;
        nodes = made;
        candidates.among(now);
        leave(before);
        return other;
    }

    private void leave(List<N> before) {
        Set<N> stay = new HashSet<>(nodes);
        for (N node : before) {
            if (!stay.contains(node)) {
                node.retire();
            }
        }
    }

    /** No exchange uses it any more. */
    void retire() {
        nodes.forEach(WorkerNode::retire);
    }

    /** The Upstream, as all Workers share it. */
    public Upstream upstream() {
        return upstream;
    }

    /**
     * The node for the next try of whoever asks, or null where there is none left for it.
     *
     * @param harmless whether the try may be one that finds out if a node is well again
     */
    public @Nullable N pick(PickContext context, boolean harmless) {
        boolean whole = upstream.isWhole(known);
        candidates.begin();
        PickContext byPlace = byPlace(context);
        int index = whole ? balancer.pick(byPlace) : candidates.pick(balancer, byPlace, harmless);
        return index < 0 ? null : nodes.get(index);
    }

    /** Whether a node would be left for another try after one on this node. */
    public boolean canPickAnother(PickContext context, N but) {
        int place = foundLast;
        for (int i = 0; i < nodes.size(); i++) {
            place = place < nodes.size() ? place : 0;
            N node = nodes.get(place);
            if (node != but && !context.excludes(node.index()) && node.node().isUsed(upstream.isPanicking())) {
                foundLast = place;
                return true;
            }
            place++;
        }
        return false;
    }

    /** Whether there is a node of which nothing is known but good. */
    public boolean hasWellNode() {
        int place = wellLast;
        for (int i = 0; i < nodes.size(); i++) {
            place = place < nodes.size() ? place : 0;
            Node node = nodes.get(place).node();
            if (node.isAvailable() && !node.isSuspect()) {
                wellLast = place;
                return true;
            }
            place++;
        }
        return false;
    }

    /**
     * Whether a session or call that no node could be reached for is tried on another one: where none is well, the budget has to allow
     * it, which is taken.
     *
     * @param tries how many there were
     */
    public boolean mayTryAnother(int tries) {
        if (tries >= nodes.size()) {
            return false;
        }
        boolean may = hasWellNode() || upstream.budget().tryTake();
        if (!may) {
            loop.counters().increment(Counter.UPSTREAM_RETRIES_OVER_BUDGET);
        }
        return may;
    }

    /** Any node that wasn't tried, well or not, unless an operator has barred it: for whom nothing was sent yet, and no node is left that is. */
    public @Nullable N pickAny(PickContext context) {
        int index = balancer.pick(candidates.any(byPlace(context)));
        return index < 0 ? null : nodes.get(index);
    }

    private PickContext byPlace(PickContext context) {
        Renumbered between = renumbered;
        return between == null ? context : between.before(context);
    }

    /**
     * The node for a try beside one that is under way on {@code but}: one that is as good as any, so none that is kept aside, has lately
     * failed or comes back slowly. Null where there is none.
     */
    public @Nullable N pickBeside(PickContext context, N but) {
        int index = balancer.pick(candidates.beside(byPlace(context), nodes.indexOf(but)));
        return index < 0 ? null : nodes.get(index);
    }

    /** The number of the trial by which the node that was picked last is tried out; {@link Node#NO_TRIAL} where it isn't. */
    public int trial() {
        return candidates.trial();
    }

    public List<N> nodes() {
        return nodes;
    }
}
