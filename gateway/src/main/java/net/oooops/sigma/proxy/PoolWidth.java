package net.oooops.sigma.proxy;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.time.LoopLoad;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how many connections to nodes of HTTP a Worker wants. While requests wait for one it looks, every other millisecond, if
 * the Worker has time to spare: then they wait for nodes, and more connections are opened, the more the more time there is. A Worker
 * that has none gains nothing from more connections, and uses fewer and fewer of those beyond the few that it begins with.
 *
 * <p>Belongs to one Worker.
 */
final class PoolWidth implements Runnable {
    private static final long LOOK_MILLIS = 2;
    /** Less time to spare than that isn't worth another connection. */
    private static final double SPARE_MIN = 0.15;
    /** With less than that for so long, there are connections too many. */
    private static final double SPARE_NONE = 0.03;

    private final SingleThreadEventLoop loop;
    private final List<HttpNode> watched = new ArrayList<>();
    private @Nullable LoopLoad ofLooks;
    private @Nullable LoopLoad ofTicks;
    private boolean looking;
    private boolean closed;

    PoolWidth(SingleThreadEventLoop loop) {
        this.loop = loop;
    }

    /** The Worker ends: nothing is looked at any more. */
    void close() {
        closed = true;
        if (ofLooks != null) {
            ofLooks.close();
            ofLooks = null;
        }
        if (ofTicks != null) {
            ofTicks.close();
            ofTicks = null;
        }
    }

    /** Requests begin to wait for a connection to that node, or how many there are begins to be tried. */
    void watch(HttpNode node) {
        if (closed) {
            return;
        }
        watched.add(node);
        if (!looking) {
            looking = true;
            LoopLoad load = ofLooks;
            if (load == null) {
                ofLooks = new LoopLoad();
            } else {
                load.spare();
            }
            loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void run() {
        if (closed) {
            return;
        }
        LoopLoad load = ofLooks;
        double spare = load == null ? 1 : load.spare();
        for (int i = watched.size() - 1; i >= 0; i--) {
            HttpNode node = watched.get(i);
            // Also where there is none: slow clients may hold those that there are by now.
            node.look(spare >= SPARE_MIN ? spare / 2 : 0);
            if (!node.isWatched()) {
                watched.remove(i);
            }
        }
        looking = !watched.isEmpty();
        if (looking) {
            loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Time has passed: where the Worker had none to spare its pools become narrower, and where it had, wide ones may be tried. */
    void tick(UpstreamGroups<HttpNode> upstreams) {
        if (closed) {
            return;
        }
        LoopLoad load = ofTicks;
        if (load == null) {
            ofTicks = new LoopLoad();
        } else {
            boolean spare = load.spare() >= SPARE_NONE;
            for (UpstreamGroup<HttpNode> upstream : upstreams.all()) {
                for (HttpNode node : upstream.nodes()) {
                    node.tickWidth(spare);
                }
            }
        }
    }
}
