package net.oooops.sigma.admin;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.upstream.NodeCounts;

/**
 * What one scrape gets: values are put, then written in Prometheus' text format 0.0.4. The library makes sure that names and labels are
 * right, and escapes them.
 *
 * <p>One thread, used once.
 */
final class Sheet {
    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final double SECOND_NANOS = 1e9;
    private static final double[] BOUNDS_SECONDS = seconds(NodeCounts.boundsNanos());
    private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();

    private final List<MetricSnapshot> whole = new ArrayList<>();
    private final Map<Metric, List<CounterDataPointSnapshot>> counters = new EnumMap<>(Metric.class);
    private final Map<Metric, List<GaugeDataPointSnapshot>> gauges = new EnumMap<>(Metric.class);
    private final List<HistogramDataPointSnapshot> latencies = new ArrayList<>();

    /** The upper bounds of buckets: the last has none. */
    private static double[] seconds(long[] nanos) {
        double[] seconds = new double[nanos.length + 1];
        for (int i = 0; i < nanos.length; i++) {
            seconds[i] = nanos[i] / SECOND_NANOS;
        }
        seconds[nanos.length] = Double.POSITIVE_INFINITY;
        return seconds;
    }

    /** The name of a metric, without {@code _total}. */
    static String name(Counter counter) {
        return "sigma_"
                + counter.label().replace("bytes_received", "received_bytes").replace("bytes_sent", "sent_bytes");
    }

    private static MetricMetadata metadata(Metric metric) {
        return new MetricMetadata(metric.metric(), metric.description());
    }

    /** A number that all Workers have counted. */
    void put(Counter counter, long value) {
        MetricMetadata metadata = new MetricMetadata(name(counter), counter.description());
        whole.add(
                switch (counter.kind()) {
                    case TOTAL ->
                        new CounterSnapshot(
                                metadata, List.of(new CounterDataPointSnapshot((double) value, Labels.EMPTY, null, 0)));
                    case GAUGE ->
                        new GaugeSnapshot(
                                metadata, List.of(new GaugeDataPointSnapshot((double) value, Labels.EMPTY, null)));
                });
    }

    /** A value of a metric that is a counter or a gauge, and its labels' values. */
    void put(Metric metric, long value, String... of) {
        add(metric, (double) value, of);
    }

    /** A metric that is 1, and its labels' values. Put once. */
    void putConstant(Metric metric, String... of) {
        add(metric, 1, of);
    }

    /** A value in seconds. */
    void putNanos(Metric metric, long nanos, String... of) {
        add(metric, nanos / SECOND_NANOS, of);
    }

    private void add(Metric metric, double value, String... of) {
        Labels labels = Labels.of(metric.labels(), List.of(of));
        switch (metric.kind()) {
            case COUNTER ->
                counters.computeIfAbsent(metric, each -> new ArrayList<>())
                        .add(new CounterDataPointSnapshot(value, labels, null, 0));
            case GAUGE ->
                gauges.computeIfAbsent(metric, each -> new ArrayList<>())
                        .add(new GaugeDataPointSnapshot(value, labels, null));
            case CONSTANT -> whole.add(new InfoSnapshot(metadata(metric), List.of(new InfoDataPointSnapshot(labels))));
            case HISTOGRAM ->
                throw new IllegalArgumentException(metric + " (expected: a counter, a gauge or a constant)");
        }
    }

    void put(Metric metric, boolean value, String... of) {
        put(metric, value ? 1 : 0, of);
    }

    /** How long answers of a node took to begin. */
    void putLatencies(NodeCounts counts, String upstream, String node) {
        latencies.add(new HistogramDataPointSnapshot(
                ClassicHistogramBuckets.of(BOUNDS_SECONDS, counts.buckets()),
                counts.latencyNanos() / SECOND_NANOS,
                Labels.of(Metric.NODE_RESPONSE_SECONDS.labels(), List.of(upstream, node)),
                Exemplars.EMPTY,
                0));
    }

    /** What a plugin counts. */
    void put(PluginMeters.Reading reading) {
        MetricMetadata metadata = new MetricMetadata(reading.metric(), reading.description());
        switch (reading.kind()) {
            case REASON -> put(Metric.PLUGIN_REFUSALS, reading.value(), reading.plugin(), reading.name());
            case TIMER -> put(Metric.PLUGIN_TIMER_FAILURES, reading.value(), reading.plugin(), reading.name());
            case COUNTER ->
                whole.add(new CounterSnapshot(
                        metadata,
                        List.of(new CounterDataPointSnapshot((double) reading.value(), Labels.EMPTY, null, 0))));
            case GAUGE ->
                whole.add(new GaugeSnapshot(
                        metadata, List.of(new GaugeDataPointSnapshot((double) reading.value(), Labels.EMPTY, null))));
            case HISTOGRAM ->
                whole.add(new HistogramSnapshot(
                        metadata,
                        List.of(new HistogramDataPointSnapshot(
                                ClassicHistogramBuckets.of(
                                        seconds(PluginMeters.boundsNanos()),
                                        reading.buckets().toArray(Number[]::new)),
                                reading.value() / SECOND_NANOS,
                                Labels.EMPTY,
                                Exemplars.EMPTY,
                                0))));
        }
    }

    /** All of it as text. A metric without values isn't there. */
    byte[] text() {
        counters.forEach((metric, points) -> whole.add(new CounterSnapshot(metadata(metric), points)));
        gauges.forEach((metric, points) -> whole.add(new GaugeSnapshot(metadata(metric), points)));
        if (!latencies.isEmpty()) {
            whole.add(new HistogramSnapshot(metadata(Metric.NODE_RESPONSE_SECONDS), latencies));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            WRITER.write(out, new MetricSnapshots(whole));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
