package net.oooops.sigma.plugins.compression;

import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.PluginContext;

/**
 * How many answers are being packed: those of all places of sigma.json that name the plugin, and of the plugins that a reload replaced.
 *
 * <p>Safe for use from any thread.
 *
 * @param now of them all
 * @param tried how many would be packed besides, of plugins in shadow
 * @param most how many may be for one place to pack one more
 * @param shown the same for metrics
 * @param tooMany counts those that weren't packed for that
 */
record PackedCount(
        AtomicInteger now, AtomicInteger tried, int most, PluginContext.Gauge shown, PluginContext.Counter tooMany) {
    /** Those of all places. */
    record OfAll(AtomicInteger now, AtomicInteger tried) {
        OfAll() {
            this(new AtomicInteger(), new AtomicInteger());
        }
    }

    /** That of a place. */
    static PackedCount of(OfAll all, int most, PluginContext context) {
        return new PackedCount(
                all.now,
                all.tried,
                most,
                context.gauge("bodies", "Answers that are being compressed."),
                context.counter(
                        "too_many", "Answers that went as they are, as max-bodies others were being compressed."));
    }

    /** Whether one more may be packed; it counts then until {@link #leave}. */
    boolean enter() {
        if (now.incrementAndGet() <= most) {
            shown.add(1);
            return true;
        }
        now.decrementAndGet();
        tooMany.increment();
        return false;
    }

    void leave() {
        now.decrementAndGet();
        shown.add(-1);
    }

    /** Whether one more would be packed, if those in shadow were; it counts then until {@link #leaveTried}, for those in shadow alone. */
    boolean enterTried() {
        if (tried.incrementAndGet() + now.get() <= most) {
            return true;
        }
        tried.decrementAndGet();
        return false;
    }

    void leaveTried() {
        tried.decrementAndGet();
    }
}
