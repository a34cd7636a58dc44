package net.oooops.sigma.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import net.oooops.sigma.api.PluginContext;
import org.jspecify.annotations.Nullable;

/**
 * What plugins count, by plugin and name. It outlives them: who stands in a plugin's place at a reload counts on.
 *
 * <p>Any thread; nothing waits.
 */
public final class PluginMeters {
    private static final Pattern SNAKE_CASE = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+){0,9}");
    private static final Pattern KEBAB_CASE = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+){0,9}");
    private static final int NAME_CHARS_MAX = 60;
    /** Two metrics whose names differ in these alone would be one series. */
    private static final List<String> RESERVED_ENDS =
            List.of("_total", "_created", "_bucket", "_sum", "_count", "_info");

    /** Sigma's own metrics that read as a plugin's might. */
    private static final Set<String> OWN = Set.of(
            "sigma_plugin_conditions_undecided",
            "sigma_plugin_refusals",
            "sigma_plugin_shadow",
            "sigma_plugin_stalls",
            "sigma_plugin_timer_failures");

    private final ConcurrentMap<String, ConcurrentMap<String, Meter>> byPlugin = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, ConcurrentMap<String, Meter>> timers = new ConcurrentHashMap<>();
    /** Which plugin has the metric of a name: those of two may read the same. */
    private final ConcurrentMap<String, String> owners = new ConcurrentHashMap<>();

    /** What is counted. */
    public enum Kind {
        /** Why a plugin answered itself. */
        REASON,
        /** What only grows. */
        COUNTER,
        /** What grows and shrinks. */
        GAUGE,
        /** How long something took. */
        HISTOGRAM,
        /** How often a timer's task failed. */
        TIMER
    }

    /**
     * One of them, as it is now.
     *
     * @param plugin the plugin's name
     * @param name of what is counted; of a reason or a timer, its text
     * @param value the count; of a histogram, the nanoseconds in all
     * @param buckets of a histogram, the counts between its {@link #boundsNanos}; else empty
     */
    public record Reading(String plugin, Kind kind, String name, String description, long value, List<Long> buckets) {
        /** What the metric is called, without what says its kind. */
        public String metric() {
            return metric(plugin, name);
        }

        private static String metric(String plugin, String name) {
            return "sigma_plugin_" + plugin.replace('-', '_') + "_" + name;
        }
    }

    private static final long[] BOUNDS_NANOS = {
        TimeUnit.MICROSECONDS.toNanos(500),
        TimeUnit.MILLISECONDS.toNanos(1),
        TimeUnit.MILLISECONDS.toNanos(2),
        TimeUnit.MILLISECONDS.toNanos(5),
        TimeUnit.MILLISECONDS.toNanos(10),
        TimeUnit.MILLISECONDS.toNanos(20),
        TimeUnit.MILLISECONDS.toNanos(50),
        TimeUnit.MILLISECONDS.toNanos(100),
        TimeUnit.MILLISECONDS.toNanos(200),
        TimeUnit.MILLISECONDS.toNanos(500),
        TimeUnit.SECONDS.toNanos(1),
        TimeUnit.SECONDS.toNanos(2),
        TimeUnit.SECONDS.toNanos(5),
        TimeUnit.SECONDS.toNanos(10),
        TimeUnit.SECONDS.toNanos(60)
    };

    /** The upper bounds of a histogram's buckets; the last bucket has none. */
    public static long[] boundsNanos() {
        return BOUNDS_NANOS.clone();
    }

    /** One that is counted. */
    static final class Meter implements PluginContext.Counter, PluginContext.Gauge, PluginContext.Histogram {
        final Kind kind;
        final String description;
        private final LongAdder value = new LongAdder();
        private final LongAdder @Nullable [] buckets;

        Meter(Kind kind, String description) {
            this.kind = kind;
            this.description = description;
            LongAdder[] made = null;
            if (kind == Kind.HISTOGRAM) {
                made = new LongAdder[BOUNDS_NANOS.length + 1];
                for (int i = 0; i < made.length; i++) {
                    made[i] = new LongAdder();
                }
            }
            this.buckets = made;
        }

        @Override
        public void increment() {
            value.increment();
        }

        @Override
        public void add(long count) {
            if (count < 0 && kind != Kind.GAUGE) {
                throw new IllegalArgumentException("count: " + count + " (expected: >= 0)");
            }
            value.add(count);
        }

        @Override
        public void record(long nanos) {
            LongAdder[] of = buckets;
            if (of == null) {
                throw new IllegalStateException(kind + " (expected: a histogram)");
            }
            int bucket = 0;
            while (bucket < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[bucket]) {
                bucket++;
            }
            of[bucket].increment();
            value.add(Math.max(0, nanos));
        }

        Reading read(String plugin, String name) {
            List<Long> counts = new ArrayList<>();
            if (buckets != null) {
                for (LongAdder bucket : buckets) {
                    counts.add(bucket.sum());
                }
            }
            return new Reading(plugin, kind, name, description, value.sum(), counts);
        }
    }

    /**
     * The meter of that name.
     *
     * @throws IllegalArgumentException as {@link PluginContext#counter}
     */
    Meter meter(String plugin, Kind kind, String name, String description) {
        boolean kebab = kind == Kind.REASON || kind == Kind.TIMER;
        boolean fits = name.length() <= NAME_CHARS_MAX
                && (kebab ? KEBAB_CASE : SNAKE_CASE).matcher(name).matches();
        if (!fits) {
            throw new IllegalArgumentException("\"" + name + "\" (expected: " + (kebab ? "kebab-case" : "snake_case")
                    + ", at most " + NAME_CHARS_MAX + " characters)");
        }
        if (!kebab) {
            requireFree(plugin, name);
        }
        // Timers are no series of their own, so that their names are free for others.
        ConcurrentMap<String, Meter> meters =
                (kind == Kind.TIMER ? timers : byPlugin).computeIfAbsent(plugin, each -> new ConcurrentHashMap<>());
        if (meters.size() >= PluginContext.NAMES_MAX && !meters.containsKey(name)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" (expected: at most " + PluginContext.NAMES_MAX + " names of one plugin)");
        }
        Meter meter = meters.computeIfAbsent(name, each -> new Meter(kind, description));
        if (meter.kind != kind) {
            throw new IllegalArgumentException("\"" + name + "\" (expected: one kind; it is a " + meter.kind + ")");
        }
        return meter;
    }

    private void requireFree(String plugin, String name) {
        for (String end : RESERVED_ENDS) {
            if (name.endsWith(end)) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" (expected: another end than " + end + ", which Prometheus adds or reads)");
            }
        }
        String metric = Reading.metric(plugin, name);
        if (OWN.contains(metric)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" (expected: another name, as " + metric + " is one of Sigma's own)");
        }
        String owner = owners.putIfAbsent(metric, plugin);
        if (owner != null && !owner.equals(plugin)) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" (expected: another name, as that is one of plugin " + owner + ")");
        }
    }

    /** All of them, as they are now. */
    public List<Reading> read() {
        List<Reading> readings = new ArrayList<>();
        byPlugin.forEach((plugin, meters) -> meters.forEach((name, meter) -> readings.add(meter.read(plugin, name))));
        timers.forEach((plugin, meters) -> meters.forEach((name, meter) -> readings.add(meter.read(plugin, name))));
        return readings;
    }
}
