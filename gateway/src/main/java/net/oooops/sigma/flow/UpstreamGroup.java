package net.oooops.sigma.flow;

import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.config.UpstreamConfig;

/** An Upstream on one Worker: its balancer, and a pool for each of its Nodes. */
final class UpstreamGroup {
    private final Balancer balancer;
    private final HttpNode[] nodes;

    UpstreamGroup(Worker worker, UpstreamConfig upstream) {
        int[] weights =
                upstream.nodes().stream().mapToInt(node -> node.weight()).toArray();
        this.balancer = Balancer.of(upstream.ruleStrategy(), weights, worker.number());
        this.nodes = new HttpNode[weights.length];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new HttpNode(
                    worker, balancer, i, upstream.id(), upstream.nodes().get(i));
        }
    }

    /** The node for the next try of {@code exchange}, or null where it has tried them all. */
    @org.jspecify.annotations.Nullable HttpNode pick(HttpExchange exchange) {
        int index = balancer.pick(exchange);
        return index < 0 ? null : nodes[index];
    }

    HttpNode[] nodes() {
        return nodes;
    }
}
