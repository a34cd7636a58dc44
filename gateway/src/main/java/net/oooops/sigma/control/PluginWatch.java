package net.oooops.sigma.control;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.RepeatedLog;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.PluginCalls;
import net.oooops.sigma.runtime.Worker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a plugin that keeps an event loop, while it does: it is counted, and named in the log with the place where it is. Looks from
 * a thread of its own, 20 times a second, while there are plugins; the loops read no clock for it.
 *
 * <p>{@link #look} is for one thread; {@link #follow} and {@link #close} for any.
 */
final class PluginWatch implements AutoCloseable {
    /** What a call may take. */
    static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Logger LOG = LoggerFactory.getLogger(PluginWatch.class);

    private final List<Loop> loops;
    private final WorkerCounters counters;
    private final RepeatedLog log = new RepeatedLog();
    private long lookedNanos;
    private @Nullable Thread thread;
    private volatile boolean needed = true;
    private volatile boolean closed;

    /** An event loop, and the call that it was last seen in. */
    static final class Loop {
        private final int number;
        private final PluginCalls calls;
        private final Supplier<StackTraceElement[]> stack;
        private int call;
        private long sinceNanos;
        private boolean told;

        /**
         * @param number of its Worker
         * @param stack where the loop is now
         */
        Loop(int number, PluginCalls calls, Supplier<StackTraceElement[]> stack) {
            this.number = number;
            this.calls = calls;
            this.stack = stack;
        }

        private static Loop of(Worker worker) {
            return new Loop(
                    worker.number(),
                    worker.pluginCalls(),
                    () -> worker.eventLoop().threadProperties().stackTrace());
        }

        private void seen(int now, long nowNanos) {
            call = now;
            sinceNanos = nowNanos;
            told = false;
        }
    }

    /** @param counters written by this alone */
    PluginWatch(List<Loop> loops, WorkerCounters counters, long nowNanos) {
        this.loops = loops;
        this.counters = counters;
        this.lookedNanos = nowNanos;
    }

    /** Watches until it is closed. */
    static PluginWatch start(List<Worker> workers, WorkerCounters counters) {
        return new PluginWatch(workers.stream().map(Loop::of).toList(), counters, System.nanoTime()).start();
    }

    PluginWatch start() {
        thread = Thread.ofPlatform().daemon().name("sigma-plugin-watch").start(this::run);
        return this;
    }

    /** Whether there are plugins by now: where there are none, it sleeps. */
    void follow(boolean plugins) {
        needed = plugins;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            if (needed) {
                LockSupport.parkNanos(this, LOOK_NANOS);
                look(System.nanoTime());
            } else {
                LockSupport.park(this);
            }
        }
    }

    /** Looks at all loops. */
    void look(long nowNanos) {
        // Who comes late waited for a processor, as the loops may have done.
        boolean late = nowNanos - lookedNanos > 2 * LOOK_NANOS;
        lookedNanos = nowNanos;
        for (Loop loop : loops) {
            int call = loop.calls.current();
            if (call == 0 || call != loop.call || (late && !loop.told)) {
                loop.seen(call, nowNanos);
            } else if (!loop.told && nowNanos - loop.sinceNanos >= LONG_NANOS) {
                tell(loop, nowNanos);
            }
        }
    }

    private void tell(Loop loop, long nowNanos) {
        StackTraceElement[] stack = loop.stack.get();
        String plugin = loop.calls.plugin(loop.call);
        if (plugin == null) {
            // It has returned just now.
            return;
        }
        loop.told = true;
        counters.increment(Counter.PLUGIN_STALLS);
        String again = log.due(plugin, nowNanos);
        if (again != null) {
            LOG.warn(
                    "plugin {} keeps event loop {} for more than {} ms, and everyone on it waits (expected: Needs.withBlocking() where it"
                            + " waits); it is at {}{}",
                    plugin,
                    loop.number,
                    TimeUnit.NANOSECONDS.toMillis(LONG_NANOS),
                    place(stack),
                    again);
        }
    }

    /** The innermost place that isn't the JDK's. */
    private static String place(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String type = frame.getClassName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.")) {
                return frame.toString();
            }
        }
        return "a place that the JVM doesn't tell";
    }

    /** Ends it; returns at once. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
