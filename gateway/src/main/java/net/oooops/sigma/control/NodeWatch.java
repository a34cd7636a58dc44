package net.oooops.sigma.control;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
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

    private final LongConsumer look;
    private volatile boolean closed;

    private NodeWatch(LongConsumer look) {
        this.look = look;
    }

    /**
     * Watches until it is closed.
     *
     * @param look at the time
     */
    static NodeWatch start(LongConsumer look) {
        NodeWatch watch = new NodeWatch(look);
        Thread.ofPlatform().daemon().name("sigma-node-watch").start(watch::run);
        return watch;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            try {
                look.accept(System.nanoTime());
            } catch (Exception | Error e) {
                // Whatever it is: without this thread no node would come back any more.
                say(e);
            }
        }
    }

    private static void say(Throwable why) {
        try {
            LOG.error("nodes could not be looked at", why);
        } catch (Exception | Error e) {
            // Where there is no memory, there is none to say so.
        }
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        closed = true;
    }
}
