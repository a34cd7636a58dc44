package net.oooops.sigma.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.api.Callee;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginContext.Timer;

/**
 * What one plugin does without an exchange: what it asks for while it is made is begun with it, and ends with it.
 *
 * <pre>
 *   made ─ sealed ─ begin ─▶ under way ─ end
 *                     └── (never, where sigma.json is only checked) ──┘
 * </pre>
 *
 * <p>Made on one thread; from {@link #seal} on, any thread.
 */
final class OwnWork {
    private final Callees callees;
    private final List<PluginTimer> timers = new ArrayList<>();
    private final List<OpenCallee> asked = new ArrayList<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    /** Written once both lists are what they are. */
    private volatile boolean sealed;

    private volatile boolean ended;

    /** @param callees where what it asks leads */
    OwnWork(Callees callees) {
        this.callees = callees;
    }

    Callee callee(String proxyPassId) {
        requireOpen("callee \"" + proxyPassId + "\"");
        OpenCallee callee = new OpenCallee(callees, proxyPassId);
        asked.add(callee);
        return callee;
    }

    Timer timer(PluginTimer timer) {
        requireOpen("timer \"" + timer.name() + "\"");
        if (timers.size() >= PluginContext.TIMERS_MAX) {
            throw new IllegalArgumentException("timer \"" + timer.name() + "\" (expected: at most "
                    + PluginContext.TIMERS_MAX + " of one plugin)");
        }
        if (timers.stream().anyMatch(each -> each.name().equals(timer.name()))) {
            throw new IllegalArgumentException("timer \"" + timer.name() + "\" twice (expected: a name for each)");
        }
        timers.add(timer);
        return timer;
    }

    private void requireOpen(String what) {
        if (sealed) {
            throw new IllegalStateException(what + " (expected: asked for while the plugin is made)");
        }
    }

    /** The plugin is made: nothing more comes. Whether there is anything. */
    boolean seal() {
        sealed = true;
        return !timers.isEmpty() || !asked.isEmpty();
    }

    /** The gateway follows a configuration with that plugin. Of no effect the second time, or after the end. */
    void begin(Plugin plugin) {
        if (!sealed || ended || !begun.compareAndSet(false, true)) {
            return;
        }
        // What is ended before it begins, or meanwhile, doesn't.
        asked.forEach(OpenCallee::begin);
        timers.forEach(timer -> timer.begin(plugin));
    }

    /** Ends it, and waits a while for what is being done to leave off. */
    void end() {
        ended = true;
        // All at once: each may take its time.
        timers.forEach(PluginTimer::interrupt);
        asked.forEach(OpenCallee::end);
        timers.forEach(PluginTimer::close);
    }
}
