package net.oooops.sigma.admin;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;

/**
 * The Upstreams and nodes that an answer shows, each up to a bound, which keeps answers small, in the order of sigma.json. An Upstream
 * is shown though none of its nodes is, so that what is asked of it goes on.
 *
 * @param upstreams those that are shown
 * @param leftOutCount nodes beyond the bound
 * @param upstreamsLeftOutCount Upstreams beyond the bound
 */
public record Listing(List<Listed> upstreams, int leftOutCount, int upstreamsLeftOutCount) {
    /** Nodes in one answer. Each takes some 5 KB of metrics. */
    static final int NODES_MAX = 1000;

    /** Upstreams in one answer. Each takes some 500 bytes of metrics, with a breaker 1500. */
    static final int UPSTREAMS_MAX = 10_000;

    /** An Upstream, and those of its nodes that are shown. */
    public record Listed(Upstream upstream, List<Node> nodes) {}

    static Listing of(NodeRegistry registry, int nodesMax, int upstreamsMax) {
        return of(registry.all(), nodesMax, upstreamsMax);
    }

    /**
     * Those of these.
     *
     * @param nodesMax so many nodes are shown
     * @param upstreamsMax so many Upstreams
     */
    public static Listing of(List<Upstream> all, int nodesMax, int upstreamsMax) {
        List<Listed> listed = new ArrayList<>();
        int room = nodesMax;
        int leftOut = 0;
        int upstreamsLeftOut = 0;
        for (Upstream upstream : all) {
            List<Node> nodes = upstream.nodes();
            boolean known = listed.size() < upstreamsMax;
            int shown = known ? Math.min(room, nodes.size()) : 0;
            room -= shown;
            leftOut += nodes.size() - shown;
            if (known) {
                listed.add(new Listed(upstream, nodes.subList(0, shown)));
            } else {
                upstreamsLeftOut++;
            }
        }
        return new Listing(List.copyOf(listed), leftOut, upstreamsLeftOut);
    }

    /**
     * How a node stands, in a word: {@code drained}, as an operator says, {@code down}, as its checks say, {@code ejected}, {@code trial},
     * {@code spared}, where it would be ejected, or {@code healthy}.
     */
    public static String health(Node node) {
        if (node.isBarred()) {
            return node.steering().use() == Steering.Use.DRAINED ? "drained" : "ejected";
        }
        if (node.isDown()) {
            return "down";
        }
        return switch (node.state()) {
            case AVAILABLE -> node.isSpared() ? "spared" : "healthy";
            case EJECTED -> "ejected";
            case TRIAL -> "trial";
        };
    }
}
