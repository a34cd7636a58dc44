package net.oooops.sigma.plugin;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.ask.LookingThread;
import net.oooops.sigma.plugin.jars.OwnContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a plugin does again and again, on a virtual thread of its own.
 *
 * <p>{@link #wake}, {@link #begin} and {@link #interrupt}: any thread.
 */
final class PluginTimer implements PluginContext.Timer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginTimer.class);

    private final String name;
    private final Schedule schedule;
    private final PluginContext.Task task;
    private final PluginContext.Counter failures;
    private final LookingThread thread;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile boolean ended;
    /** Whose it is; known once it begins. */
    private volatile Object owner = this;

    private long dueNanos;
    private boolean due;

    /** @param plugin the plugin's name */
    PluginTimer(
            String plugin, String name, Schedule schedule, PluginContext.Task task, PluginContext.Counter failures) {
        this.name = name;
        this.schedule = schedule;
        this.task = task;
        this.failures = failures;
        this.thread = new LookingThread(Thread.ofVirtual().name("plugin " + plugin + ": " + name), LOG, this::look);
    }

    String name() {
        return name;
    }

    /**
     * It is done from now on. Of no effect the second time.
     *
     * @param plugin whose it is
     */
    void begin(Object plugin) {
        if (begun.compareAndSet(false, true)) {
            owner = plugin;
            thread.start();
        }
    }

    @Override
    public void wake() {
        woken.set(true);
        if (begun.get()) {
            thread.wake();
        }
    }

    /** It isn't done any more, nor to its end where it is being done; nobody waits for that. Not to be begun after. */
    void interrupt() {
        ended = true;
        thread.interrupt();
    }

    /** The same, and waits a while for it to leave off. */
    @Override
    public void close() {
        ended = true;
        thread.close();
    }

    /** Called again whenever there may be something to do, too early at times. */
    private Duration look() throws Exception {
        if (!due) {
            due = true;
            Duration first = schedule.first();
            dueNanos = System.nanoTime() + (first.isZero() ? 0 : first.toNanos() + jitterNanos());
        }
        if (woken.getAndSet(false) || System.nanoTime() - dueNanos >= 0) {
            try (OwnContext _ = OwnContext.of(owner)) {
                run();
            } finally {
                dueNanos = System.nanoTime() + schedule.period().toNanos() + jitterNanos();
            }
        }
        return Duration.ofNanos(Math.max(0, dueNanos - System.nanoTime()));
    }

    private void run() throws Exception {
        try {
            task.run();
        } catch (InterruptedException e) {
            if (!ended) {
                // By whomever: that ends this time, not the thread.
                failures.increment();
                throw new IllegalStateException("interrupted", e);
            }
        } catch (Exception | Error e) {
            if (!ended) {
                failures.increment();
                throw e;
            }
        }
    }

    private long jitterNanos() {
        return ThreadLocalRandom.current().nextLong(schedule.jitter().toNanos() + 1);
    }
}
