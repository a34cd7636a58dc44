package net.oooops.sigma.flow;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.Tried;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.jspecify.annotations.Nullable;

/**
 * An Upstream on one Worker: its balancer and its Nodes.
 *
 * @param <N> what its Nodes are, by their protocol
 */
final class UpstreamGroup<N extends WorkerNode> {
    /** Makes a Node of the kind that the Upstream has. */
    interface Maker<N> {
        N make(WorkerNode.Place place, NodeConfig node);
    }

    private final Balancer balancer;
    private final List<N> nodes;

    UpstreamGroup(Worker worker, UpstreamConfig upstream, Maker<N> maker) {
        this.balancer = Balancer.of(upstream, worker.number(), worker.clock()::nanos);
        List<N> made = new ArrayList<>();
        for (NodeConfig node : upstream.nodes()) {
            made.add(maker.make(new WorkerNode.Place(worker, balancer, made.size(), upstream.id()), node));
        }
        this.nodes = List.copyOf(made);
    }

    /** The groups of these Upstreams, in their order. */
    static <N extends WorkerNode> List<UpstreamGroup<N>> all(
            Worker worker, List<UpstreamConfig> upstreams, Maker<N> maker) {
        List<UpstreamGroup<N>> groups = new ArrayList<>();
        for (UpstreamConfig upstream : upstreams) {
            groups.add(new UpstreamGroup<>(worker, upstream, maker));
        }
        return List.copyOf(groups);
    }

    /** The node for the next try of whoever asks, or null where it has tried them all. */
    @Nullable N pick(Tried tried) {
        int index = balancer.pick(tried);
        return index < 0 ? null : nodes.get(index);
    }

    List<N> nodes() {
        return nodes;
    }
}
