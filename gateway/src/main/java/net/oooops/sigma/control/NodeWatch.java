package net.oooops.sigma.control;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.upstream.NodeRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has all upstreams look at the time, ten times a second, from a thread of its own: ejections end, nodes are compared, budgets earn
 * and breakers close though a plugin keeps the event loop of any Worker.
 *
 * <p>{@link #close}: any thread.
 */
final class NodeWatch implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

    private final NodeRegistry nodes;
    private volatile boolean closed;

    private NodeWatch(NodeRegistry nodes) {
        this.nodes = nodes;
    }

    /** Watches until it is closed. */
    static NodeWatch start(NodeRegistry nodes) {
        NodeWatch watch = new NodeWatch(nodes);
        Thread.ofPlatform().daemon().name("sigma-node-watch").start(watch::run);
        return watch;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            try {
                nodes.tick(System.nanoTime());
            } catch (RuntimeException e) {
                LOG.error("nodes could not be looked at", e);
            }
        }
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        closed = true;
    }
}
