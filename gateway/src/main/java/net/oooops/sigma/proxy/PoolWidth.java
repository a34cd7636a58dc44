package net.oooops.sigma.proxy;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.time.LoopLoad;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how many connections to nodes of HTTP a Worker wants. While requests wait for one it looks, every other millisecond, if
 * the Worker has time to spare: then they wait for nodes, and more connections are opened, the more the more time there is. A Worker
 * that has none gains nothing from more connections, and uses fewer and fewer of those beyond the few that it begins with.
 *
 * <p>Answers that come tell that it is time to look: a timer that is due so soon would be set anew each time that the event loop
 * sleeps, which costs more than the looks do. Where none comes a timer is what is left.
 *
 * <p>Belongs to one Worker.
 */
final class PoolWidth {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** As long as answers come. */
    private static final long TIMER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Less time to spare than that isn't worth another connection. */
    private static final double SPARE_MIN = 0.15;
    /** With less than that for so long, there are connections too many. */
    private static final double SPARE_NONE = 0.03;

    private final SingleThreadEventLoop loop;
    private final LoopClock clock;
    private final List<Http1Pool> watched = new ArrayList<>();
    private final Runnable onTimer = this::onTimer;
    private final Runnable look = this::look;
    private @Nullable LoopLoad ofLooks;
    private @Nullable LoopLoad ofTicks;
    private long lookedNanos;
    /** Whether a timer is set. */
    private boolean timed;
    /** Whether a look is about to follow in this turn of the event loop. */
    private boolean due;

    private boolean closed;

    PoolWidth(LoopContext loop) {
        this.loop = loop.eventLoop();
        this.clock = loop.clock();
    }

    /** The Worker ends: nothing is looked at any more. */
    void close() {
        closed = true;
        watched.clear();
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
    void watch(Http1Pool node) {
        if (closed) {
            return;
        }
        watched.add(node);
        if (timed) {
            return;
        }
        lookedNanos = clock.nanos();
        LoopLoad load = ofLooks;
        if (load == null) {
            ofLooks = new LoopLoad();
        } else {
            load.spare();
        }
        wake(LOOK_NANOS);
    }

    private void wake(long nanos) {
        timed = true;
        loop.schedule(onTimer, nanos, TimeUnit.NANOSECONDS);
    }

    /** An answer comes from a node that is watched. */
    void answered(long nowNanos) {
        if (!due && nowNanos - lookedNanos >= LOOK_NANOS) {
            due = true;
            loop.execute(look);
        }
    }

    private void onTimer() {
        timed = false;
        boolean quiet = clock.nanos() - lookedNanos >= LOOK_NANOS;
        if (quiet) {
            look();
        }
        if (!watched.isEmpty()) {
            wake(quiet ? LOOK_NANOS : TIMER_NANOS);
        }
    }

    private void look() {
        due = false;
        if (closed) {
            return;
        }
        lookedNanos = clock.nanos();
        LoopLoad load = ofLooks;
        double spare = load == null ? 1 : load.spare();
        for (int i = watched.size() - 1; i >= 0; i--) {
            Http1Pool node = watched.get(i);
            // Also where there is none: slow clients may hold those that there are by now.
            node.look(spare >= SPARE_MIN ? spare / 2 : 0);
            if (!node.isWatched()) {
                watched.remove(i);
            }
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
