package net.oooops.sigma.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * What a Worker has of the Upstreams of one protocol, each found by the Upstream itself.
 *
 * @param <N> what their Nodes are, by their protocol
 */
public final class UpstreamGroups<N extends WorkerNode> {
    private final List<@Nullable UpstreamGroup<N>> byNumber;
    private final List<UpstreamGroup<N>> all = new ArrayList<>();

    public UpstreamGroups(LoopContext loop, List<Upstream> upstreams, UpstreamGroup.Maker<N> maker) {
        this.byNumber = new ArrayList<>(Collections.nCopies(loop.nodes().count(), null));
        for (Upstream upstream : upstreams) {
            UpstreamGroup<N> group = new UpstreamGroup<>(loop, upstream, maker);
            byNumber.set(upstream.number(), group);
            all.add(group);
        }
    }

    /** This Worker's part of that Upstream. */
    public UpstreamGroup<N> of(@Nullable Upstream upstream) {
        UpstreamGroup<N> group = upstream == null ? null : byNumber.get(upstream.number());
        if (group == null) {
            throw new IllegalStateException(upstream + " (expected: an Upstream of this plan)");
        }
        return group;
    }

    void tick() {
        for (UpstreamGroup<N> each : all) {
            each.tick();
        }
    }

    void close() {
        for (UpstreamGroup<N> each : all) {
            each.nodes().forEach(WorkerNode::close);
        }
    }

    /** All of them. */
    public List<UpstreamGroup<N>> all() {
        return all;
    }
}
