package net.oooops.sigma.control;

import net.oooops.sigma.health.CheckListener;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** Tells the nodes what their checks have found: Workers see it from their next pick on. */
final class CheckedNodes implements CheckListener {
    private final NodeRegistry registry;

    CheckedNodes(NodeRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void passed(String upstreamId, String node, long latencyNanos) {
        // What makes a difference is told by up and down.
    }

    @Override
    public void failed(String upstreamId, String node, String why) {
        // As above.
    }

    @Override
    public void up(String upstreamId, String node) {
        tell(upstreamId, node, null);
    }

    @Override
    public void down(String upstreamId, String node, String why) {
        tell(upstreamId, node, why);
    }

    private void tell(String upstreamId, String name, @Nullable String why) {
        Upstream upstream = registry.find(upstreamId);
        if (upstream == null) {
            return;
        }
        for (Node node : upstream.nodes()) {
            if (node.config().hostAndPort().equals(name)) {
                upstream.checked(node, why, System.nanoTime());
            }
        }
    }
}
