package net.oooops.sigma.flow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.Tried;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * An Upstream on one Worker: its balancer and its Nodes.
 *
 * @param <N> what its Nodes are, by their protocol
 */
final class UpstreamGroup<N extends WorkerNode> {
    /** Makes a Node of the kind that the Upstream has. */
    interface Maker<N> {
        N make(WorkerNode.Place place, Node node);
    }

    private final Worker worker;
    private final Upstream upstream;
    private final Maker<N> maker;
    private final Candidates candidates;
    /** The list that {@link #nodes} was made of: another one is there where nodes have changed. */
    private List<Node> known;

    private List<N> nodes;
    private Balancer balancer;
    /** Null while the nodes' numbers are their places. */
    private @Nullable Renumbered renumbered;

    UpstreamGroup(Worker worker, Upstream upstream, Maker<N> maker) {
        this.worker = worker;
        this.upstream = upstream;
        this.maker = maker;
        this.known = upstream.nodes();
        this.nodes = List.of();
        this.balancer = balancer(known);
        this.renumbered = renumbered(known);
        this.nodes = made(known);
        this.candidates = new Candidates(worker.clock(), upstream);
        candidates.among(known);
    }

    private static @Nullable Renumbered renumbered(List<Node> of) {
        Renumbered renumbered = Renumbered.of(of);
        return renumbered.isNeedless() ? null : renumbered;
    }

    private Balancer balancer(List<Node> of) {
        if (of.isEmpty()) {
            return tried -> -1;
        }
        List<NodeConfig> configs = of.stream().map(Node::config).toList();
        return Balancer.of(upstream.config(), configs, worker.number(), worker.clock()::nanos);
    }

    /** What is there of these already stays. */
    private List<N> made(List<Node> of) {
        Map<Node, N> before = new HashMap<>();
        nodes.forEach(each -> before.put(each.node(), each));
        List<N> made = new ArrayList<>();
        for (Node node : of) {
            N there = before.get(node);
            WorkerNode.Place place = new WorkerNode.Place(worker, balancer, made.size(), upstream);
            if (there == null) {
                made.add(maker.make(place, node));
            } else {
                there.move(place);
                made.add(there);
            }
        }
        return List.copyOf(made);
    }

    /** Now and then: takes up nodes that have come, closes what is left of those that are gone, and has the others look after themselves. */
    @SuppressWarnings("ReferenceEquality") // Another list is there only where nodes have changed.
    void tick() {
        List<Node> now = upstream.nodes();
        if (now != known) {
            List<N> before = nodes;
            known = now;
            balancer = balancer(now);
            renumbered = renumbered(now);
            nodes = made(now);
            candidates.among(now);
            Set<N> stay = new HashSet<>(nodes);
            for (N node : before) {
                if (!stay.contains(node)) {
                    node.retire();
                }
            }
        }
        for (N node : nodes) {
            node.publish();
        }
    }

    /** The Upstream, as all Workers share it. */
    Upstream upstream() {
        return upstream;
    }

    /**
     * The node for the next try of whoever asks, or null where there is none left for it.
     *
     * @param harmless whether the try may be one that finds out if a node is well again
     */
    @Nullable N pick(Tried tried, boolean harmless) {
        boolean whole = upstream.isWhole();
        candidates.begin();
        Tried byPlace = byPlace(tried);
        int index = whole ? balancer.pick(byPlace) : candidates.pick(balancer, byPlace, harmless);
        return index < 0 ? null : nodes.get(index);
    }

    /** Whether a node would be left for another try after one on this node. */
    boolean canPickAnother(Tried tried, N but) {
        for (N node : nodes) {
            if (node != but
                    && !tried.contains(node.index())
                    && (upstream.isPanicking() || node.node().isAvailable())) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is a node of which nothing is known but good. */
    boolean hasWellNode() {
        for (N node : nodes) {
            if (node.node().isAvailable() && !node.node().isSuspect()) {
                return true;
            }
        }
        return false;
    }

    /** Any node that wasn't tried, well or not: for whom nothing was sent yet, and no node is left that is. */
    @Nullable N pickAny(Tried tried) {
        int index = balancer.pick(byPlace(tried));
        return index < 0 ? null : nodes.get(index);
    }

    private Tried byPlace(Tried tried) {
        Renumbered between = renumbered;
        return between == null ? tried : between.before(tried);
    }

    /** Whether the node that was picked last is tried out by that. */
    boolean isTrial() {
        return candidates.isTrial();
    }

    List<N> nodes() {
        return nodes;
    }
}
