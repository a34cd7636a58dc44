package net.oooops.sigma.admin;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;

/**
 * The nodes that an answer shows: all of them up to a bound, which keeps answers small, in the order of sigma.json.
 *
 * @param upstreams those of which a node is shown, and those that have none, each of which takes the room of one
 * @param leftOutCount nodes beyond the bound
 */
record Listing(List<Listed> upstreams, int leftOutCount) {
    /** Nodes in one answer. Each takes some 5 KB of metrics. */
    static final int NODES_MAX = 1000;

    /** An Upstream, and those of its nodes that are shown. */
    record Listed(Upstream upstream, List<Node> nodes) {}

    static Listing of(NodeRegistry registry, int nodesMax) {
        List<Listed> listed = new ArrayList<>();
        int room = nodesMax;
        int leftOut = 0;
        for (Upstream upstream : registry.all()) {
            List<Node> nodes = upstream.nodes();
            int shown = Math.min(room, nodes.size());
            boolean none = nodes.isEmpty() && room > 0;
            room -= none ? 1 : shown;
            leftOut += nodes.size() - shown;
            if (shown > 0 || none) {
                listed.add(new Listed(upstream, nodes.subList(0, shown)));
            }
        }
        return new Listing(List.copyOf(listed), leftOut);
    }

    /** How a node stands, in a word: {@code down}, as its checks say, {@code ejected}, {@code trial} or {@code healthy}. */
    static String health(Node node) {
        if (node.isDown()) {
            return "down";
        }
        return switch (node.state()) {
            case AVAILABLE -> "healthy";
            case EJECTED -> "ejected";
            case TRIAL -> "trial";
        };
    }
}
