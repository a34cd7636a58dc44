package net.oooops.sigma.runtime;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * What a Worker has of the Upstreams of one protocol, each found by the Upstream itself. It has something of each Upstream from when that
 * is followed until it is retired.
 *
 * <p>Made before the Worker's event loop hears of it; called there only from then on.
 *
 * @param <N> what their Nodes are, by their protocol
 */
public final class UpstreamGroups<N extends WorkerNode> {
    private final LoopContext loop;
    private final UpstreamGroup.Maker<N> maker;
    /** By the numbers of the Upstreams, which are small. */
    private final List<@Nullable UpstreamGroup<N>> byNumber = new ArrayList<>();

    private final List<UpstreamGroup<N>> all = new ArrayList<>();

    public UpstreamGroups(LoopContext loop, List<Upstream> upstreams, UpstreamGroup.Maker<N> maker) {
        this.loop = loop;
        this.maker = maker;
        upstreams.forEach(this::add);
    }

    /** This Worker's part of that Upstream. */
    public UpstreamGroup<N> of(@Nullable Upstream upstream) {
        UpstreamGroup<N> group = upstream == null ? null : byNumber.get(upstream.number());
        if (group == null || group.upstream() != upstream) {
            throw new IllegalStateException(upstream + " (expected: an Upstream of this plan)");
        }
        return group;
    }

    /**
     * Those Upstreams are led to from now on. Those that were there already take up what is said of them now, nodes, weights and bounds,
     * with all connections that they have; others begin. Those that aren't among them stay, for what is under way, until they are
     * retired. One that can't follow, by a fault of Sigma's own, keeps no other from it.
     *
     * @throws IllegalStateException where one can't, once all others have
     */
    public void follow(List<Upstream> now) {
        Thrown thrown = new Thrown();
        for (Upstream upstream : now) {
            try {
                follow(upstream);
            } catch (RuntimeException | Error e) {
                loop.thrown(e);
                thrown.add(e);
            }
        }
        thrown.end("an upstream is not followed");
    }

    private void follow(Upstream upstream) {
        UpstreamGroup<N> there = at(upstream.number());
        if (there == null || there.upstream() != upstream) {
            there = add(upstream);
        }
        there.follow();
    }

    private @Nullable UpstreamGroup<N> at(int number) {
        return number < byNumber.size() ? byNumber.get(number) : null;
    }

    private UpstreamGroup<N> add(Upstream upstream) {
        int number = upstream.number();
        UpstreamGroup<N> there = at(number);
        if (there != null) {
            // Its number is another's by now: nobody uses it.
            retire(there.upstream());
        }
        while (byNumber.size() <= number) {
            byNumber.add(null);
        }
        UpstreamGroup<N> group = new UpstreamGroup<>(loop, upstream, maker);
        byNumber.set(number, group);
        all.add(group);
        return group;
    }

    /** No exchange uses that Upstream any more: what is left of it is closed. Nothing is done where nothing is there of it. */
    public void retire(Upstream gone) {
        UpstreamGroup<N> group = at(gone.number());
        if (group != null && group.upstream() == gone) {
            byNumber.set(gone.number(), null);
            all.remove(group);
            group.retire();
        }
    }

    /** @throws IllegalStateException where one couldn't be looked at, once all others have been */
    void tick() {
        Thrown thrown = new Thrown();
        for (UpstreamGroup<N> each : all) {
            try {
                each.tick();
            } catch (RuntimeException | Error e) {
                thrown.add(e);
            }
        }
        thrown.end("an upstream could not be looked at");
    }

    void close() {
        for (UpstreamGroup<N> each : all) {
            each.nodes().forEach(WorkerNode::close);
        }
    }

    /** All of them, with those that are there for what is under way only. */
    public List<UpstreamGroup<N>> all() {
        return all;
    }
}
