package net.oooops.sigma.control;

import java.util.function.BiConsumer;
import java.util.function.Supplier;
import net.oooops.sigma.health.CheckListener;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;

/** Tells the nodes what their checks have found: Workers see it from their next pick on. */
final class CheckedNodes implements CheckListener {
    private final Supplier<NodeRegistry> registry;

    /** @param registry where they are by then */
    CheckedNodes(Supplier<NodeRegistry> registry) {
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
        tell(upstreamId, node, (upstream, found) -> upstream.checked(found, null, System.nanoTime()));
    }

    @Override
    public void down(String upstreamId, String node, String why) {
        tell(upstreamId, node, (upstream, found) -> upstream.checked(found, why, System.nanoTime()));
    }

    @Override
    public void unchecked(String upstreamId, String node) {
        tell(upstreamId, node, (upstream, found) -> upstream.unchecked(found, System.nanoTime()));
    }

    private void tell(String upstreamId, String name, BiConsumer<Upstream, Node> what) {
        Upstream upstream = registry.get().find(upstreamId);
        if (upstream == null) {
            return;
        }
        for (Node node : upstream.nodes()) {
            if (node.config().hostAndPort().equals(name)) {
                what.accept(upstream, node);
            }
        }
    }
}
