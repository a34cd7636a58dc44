package net.oooops.sigma.observe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;

/**
 * The sum of what several Workers count. Safe for use from any thread, at any time; the Workers don't notice.
 */
public final class CountersView {
    private final List<WorkerCounters> workers;

    /** A view of these Workers. */
    public CountersView(List<WorkerCounters> workers) {
        this.workers = List.copyOf(workers);
    }

    /** The sums now. Each number is exact; two may be of different moments, some microseconds apart. */
    public Counters snapshot() {
        Map<String, Long> counts = new LinkedHashMap<>();
        Map<String, Long> faults = new LinkedHashMap<>();
        Map<String, Long> refusals = new LinkedHashMap<>();
        Map<List<String>, Counters.Pool> pools = new LinkedHashMap<>();
        Map<WorkerCounters.Shadow, Long> shadows = new HashMap<>();
        for (WorkerCounters worker : workers) {
            for (Counter counter : Counter.values()) {
                counts.merge(counter.label(), worker.count(counter), Long::sum);
            }
            for (Fault fault : Fault.values()) {
                faults.merge(fault.name(), worker.failures(fault), Long::sum);
            }
            List<String> reasons = worker.refusalNames();
            for (int i = 0; i < reasons.size(); i++) {
                refusals.merge(reasons.get(i), worker.refusals(i), Long::sum);
            }
            worker.shadows().forEach((what, count) -> shadows.merge(what, count.sum(), Long::sum));
            for (PoolGauges gauges : worker.pools()) {
                Counters.Pool pool = gauges.read();
                pools.merge(List.of(pool.upstreamId(), pool.node()), pool, Counters.Pool::plus);
            }
        }
        return new Counters(
                Collections.unmodifiableMap(counts),
                Collections.unmodifiableMap(faults),
                Collections.unmodifiableMap(refusals),
                List.copyOf(new ArrayList<>(pools.values())),
                shadows(shadows));
    }

    private static List<Counters.Shadow> shadows(Map<WorkerCounters.Shadow, Long> counts) {
        return counts.entrySet().stream()
                .map(each -> new Counters.Shadow(
                        each.getKey().plugin(),
                        each.getKey().outcome(),
                        each.getKey().status(),
                        each.getKey().reason(),
                        each.getValue()))
                .sorted(Comparator.comparing(Counters.Shadow::plugin)
                        .thenComparing(Counters.Shadow::outcome)
                        .thenComparing(Counters.Shadow::status)
                        .thenComparing(Counters.Shadow::reason))
                .toList();
    }
}
