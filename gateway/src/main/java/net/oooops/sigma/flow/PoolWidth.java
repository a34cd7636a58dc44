package net.oooops.sigma.flow;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.time.LoopLoad;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pools of a Worker's nodes of HTTP wider. While requests wait for a connection it looks, every other millisecond, if the Worker
 * has time to spare: then they wait for nodes, and more connections are opened, the more the more time there is. A Worker that has none
 * gains nothing from more connections. What makes pools narrower again is {@link WidthTrial}.
 *
 * <p>Belongs to one Worker.
 */
final class PoolWidth implements Runnable {
    private static final long LOOK_MILLIS = 2;
    /** Less time to spare than that isn't worth another connection. */
    private static final double SPARE_MIN = 0.15;

    private final SingleThreadEventLoop loop;
    private final List<HttpNode> crowded = new ArrayList<>();
    private @Nullable LoopLoad load;
    private boolean looking;
    private boolean closed;

    PoolWidth(SingleThreadEventLoop loop) {
        this.loop = loop;
    }

    /** The Worker ends: nothing is looked at any more. */
    void close() {
        closed = true;
        if (load != null) {
            load.close();
            load = null;
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
            LoopLoad known = load;
            if (known == null) {
                load = new LoopLoad();
            } else {
                known.spare();
            }
            loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void run() {
        if (closed) {
            return;
        }
        LoopLoad known = load;
        double spare = known == null ? 1 : known.spare();
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
}
