package net.oooops.sigma.flow;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.time.LoopLoad;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how many connections to nodes of HTTP a Worker wants. While requests wait for one it looks, every other millisecond, if
 * the Worker has time to spare: then they wait for nodes, and more connections are opened, the more the more time there is. A Worker
 * that has none gains nothing from more connections, and little by little gives up those beyond the few that it begins with.
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
    private final List<HttpNode> crowded = new ArrayList<>();
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

    /** Requests begin to wait for a connection to that node. */
    void crowded(HttpNode node) {
        if (closed) {
            return;
        }
        crowded.add(node);
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
        for (int i = crowded.size() - 1; i >= 0; i--) {
            HttpNode node = crowded.get(i);
            // Also where there is none: slow clients may hold those that there are by now.
            node.widen(spare >= SPARE_MIN ? spare / 2 : 0);
            if (!node.isCrowded()) {
                crowded.remove(i);
            }
        }
        looking = !crowded.isEmpty();
        if (looking) {
            loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Time has passed: where the Worker had none to spare, its pools become narrower. */
    void tick(UpstreamGroups<HttpNode> upstreams) {
        if (closed) {
            return;
        }
        LoopLoad load = ofTicks;
        if (load == null) {
            ofTicks = new LoopLoad();
        } else if (load.spare() < SPARE_NONE) {
            for (UpstreamGroup<HttpNode> upstream : upstreams.all()) {
                upstream.nodes().forEach(HttpNode::narrow);
            }
        }
    }
}
