package net.oooops.sigma.admin;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.redis.RedisReading;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Cause;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeCounts;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** {@code /metrics}: everything that is counted, read when it is asked for. One thread. */
final class MetricsPage {
    private static final Versions VERSIONS = Versions.read();
    private static final List<String> STATES = List.of("closed", "open", "half-open");
    private static final List<String> HEALTHS = List.of("healthy", "spared", "ejected", "trial", "down", "drained");
    /** By class of status; shown as one metric with a label. */
    private static final List<Counter> CLASSES = List.of(
            Counter.REQUESTS_1XX,
            Counter.REQUESTS_2XX,
            Counter.REQUESTS_3XX,
            Counter.REQUESTS_4XX,
            Counter.REQUESTS_5XX);

    private final Sources sources;
    private final Pulse pulse;
    private final int nodesMax;
    private final int upstreamsMax;

    /**
     * @param nodesMax how many nodes are shown
     * @param upstreamsMax how many Upstreams
     */
    MetricsPage(Sources sources, Pulse pulse, int nodesMax, int upstreamsMax) {
        this.sources = sources;
        this.pulse = pulse;
        this.nodesMax = nodesMax;
        this.upstreamsMax = upstreamsMax;
    }

    /**
     * The page now.
     *
     * @param refused what the server that asks has refused
     */
    byte[] text(Refused refused) {
        Sheet sheet = new Sheet();
        process(sheet);
        Counters counters = sources.counters().get();
        counted(sheet, counters);
        sources.plugins().read().forEach(sheet::put);
        sheet.put(Metric.WORKERS, pulse.count());
        for (int i = 0; i < pulse.count(); i++) {
            sheet.put(Metric.WORKER_STALLED, pulse.isStalled(i), String.valueOf(i));
        }
        sheet.put(Metric.DRAINING, sources.draining().getAsBoolean());
        sheet.put(Metric.ADMIN_CONNECTIONS_REFUSED, refused.connections());
        sheet.put(Metric.ADMIN_CONNECTIONS_CUT, refused.cut());
        sheet.put(Metric.ADMIN_HOSTS_REFUSED, refused.hosts());
        sheet.put(Metric.ADMIN_PAGES_REFUSED, refused.pages());
        for (Sources.Certificate shown : sources.certificates().get()) {
            String server = shown.owner() == Sources.CertificateOwner.LISTENER ? shown.ownerId() : "";
            String upstream = shown.owner() == Sources.CertificateOwner.UPSTREAM ? shown.ownerId() : "";
            if (!shown.notAfter().equals(Instant.MAX)) {
                long end = shown.notAfter().getEpochSecond();
                sheet.put(Metric.CERTIFICATE_EXPIRY_SECONDS, end, server, upstream, shown.file());
            }
            sheet.put(Metric.CERTIFICATE_FILES_WRONG, shown.wrong(), server, upstream, shown.file());
        }
        sources.redis().read().forEach(reading -> redis(sheet, reading));
        sheet.put(Metric.NAME_FAILURES, sources.nodes().names().failureCount());
        sheet.put(Metric.NAMES_FAILING, sources.nodes().names().failingCount());
        sheet.put(
                Metric.UPSTREAM_CONNECTIONS_BOUNDED,
                sources.nodes().descriptors().nodes().refusedCount());
        Listing listing = Listing.of(sources.nodes(), nodesMax, upstreamsMax);
        sheet.put(Metric.NODES_LEFT_OUT, listing.leftOutCount());
        sheet.put(Metric.UPSTREAMS_LEFT_OUT, listing.upstreamsLeftOutCount());
        Map<List<String>, Counters.Pool> pools = new HashMap<>();
        counters.pools().forEach(pool -> pools.put(List.of(pool.upstreamId(), pool.node()), pool));
        Map<List<String>, Sources.Checked> checks = new HashMap<>();
        sources.checks().get().forEach(check -> checks.put(List.of(check.upstreamId(), check.node()), check));
        for (Listing.Listed listed : listing.upstreams()) {
            Upstream upstream = listed.upstream();
            upstream(sheet, upstream);
            for (Node node : listed.nodes()) {
                node(sheet, upstream.id(), node);
                pool(sheet, pools.get(List.of(upstream.id(), node.name())));
                Sources.Checked check =
                        checks.get(List.of(upstream.id(), node.config().hostAndPort()));
                if (check != null) {
                    check(sheet, check, node.name());
                }
            }
        }
        return sheet.text();
    }

    /** What it is that runs, and since when. */
    private static void process(Sheet sheet) {
        sheet.putConstant(Metric.BUILD, VERSIONS.sigma(), Versions.jdk(), VERSIONS.netty(), VERSIONS.vertx());
        ProcessHandle.current()
                .info()
                .startInstant()
                .ifPresent(start -> sheet.putNanos(
                        Metric.PROCESS_START_TIME_SECONDS, TimeUnit.MILLISECONDS.toNanos(start.toEpochMilli())));
    }

    private static void counted(Sheet sheet, Counters counters) {
        for (Counter counter : Counter.values()) {
            if (!CLASSES.contains(counter)) {
                sheet.put(counter, counters.count(counter));
            }
        }
        for (int i = 0; i < CLASSES.size(); i++) {
            sheet.put(Metric.REQUESTS, counters.count(CLASSES.get(i)), i + 1 + "xx");
        }
        counters.faults().forEach((fault, count) -> sheet.put(Metric.FAULTS, count, lower(fault)));
        counters.shadows()
                .forEach(each -> sheet.put(
                        Metric.PLUGIN_SHADOW,
                        each.count(),
                        each.plugin(),
                        each.outcome(),
                        each.status() == 0 ? "" : String.valueOf(each.status()),
                        each.reason()));
        counters.refusals().forEach((reason, count) -> sheet.put(Metric.REFUSALS, count, lower(reason)));
    }

    private static void redis(Sheet sheet, RedisReading reading) {
        String id = reading.id();
        sheet.put(Metric.REDIS_CONNECTIONS, reading.connectionsCount(), id);
        sheet.put(Metric.REDIS_WAITING, reading.waitingCount(), id);
        sheet.put(Metric.REDIS_COMMANDS, reading.commandsCount(), id);
        reading.failureCounts()
                .forEach((kind, count) -> sheet.put(Metric.REDIS_FAILURES, count, id, lower(kind.name())));
    }

    private static void upstream(Sheet sheet, Upstream upstream) {
        String id = upstream.id();
        sheet.put(Metric.UPSTREAM_NODES, upstream.nodes().size(), id);
        sheet.put(Metric.UPSTREAM_NODES_AVAILABLE, upstream.availableCount(), id);
        sheet.put(Metric.UPSTREAM_NODES_CHANGES, upstream.changeCount(), id);
        sheet.put(Metric.UPSTREAM_NODES_FAILURES, upstream.freshness().failureCount(), id);
        sheet.put(Metric.UPSTREAM_NODES_STALE, upstream.freshness().isStale(), id);
        sheet.put(Metric.UPSTREAM_PANICKING, upstream.isPanicking(), id);
        sheet.put(Metric.UPSTREAM_PANICS, upstream.panicCount(), id);
        sheet.put(Metric.UPSTREAM_RETRY_BUDGET, upstream.budget().left(), id);
        sheet.put(Metric.UPSTREAM_RETRY_BUDGET_REFUSALS, upstream.budget().refusedCount(), id);
        Breaker breaker = upstream.breaker();
        if (breaker != null) {
            breaker(sheet, breaker, upstream);
        }
    }

    private static void breaker(Sheet sheet, Breaker breaker, Upstream upstream) {
        String id = upstream.id();
        String state = breaker.state();
        for (String each : STATES) {
            sheet.put(Metric.UPSTREAM_BREAKER_STATE, each.equals(state), id, each);
        }
        sheet.put(Metric.UPSTREAM_BREAKER_OPENINGS, breaker.openingCount(), id);
        sheet.put(Metric.UPSTREAM_BREAKER_REQUESTS_IN_FLIGHT, breaker.requestCount(), id);
        int limit = Math.min(breaker.limit(), upstream.config().breaker().requestsMax());
        if (limit != BreakerConfig.NONE) {
            sheet.put(Metric.UPSTREAM_BREAKER_REQUESTS_LIMIT, limit, id);
        }
        for (Breaker.Limit each : Breaker.Limit.values()) {
            sheet.put(Metric.UPSTREAM_BREAKER_REFUSALS, breaker.refusedCount(each), id, lower(each.name()));
        }
    }

    private static void node(Sheet sheet, String upstream, Node node) {
        String name = node.name();
        String health = Listing.health(node);
        for (String each : HEALTHS) {
            sheet.put(Metric.NODE_HEALTH, each.equals(health), upstream, name, each);
        }
        sheet.put(Metric.NODE_ASIDE, node.isAside(), upstream, name);
        sheet.put(Metric.NODE_WEIGHT, node.config().weight(), upstream, name);
        sheet.put(Metric.NODE_IN_FLIGHT, node.inFlight(), upstream, name);
        NodeCounts counts = node.counts();
        sheet.put(Metric.NODE_REQUESTS, counts.requests(), upstream, name);
        sheet.put(Metric.NODE_CONNECT_FAILURES, counts.connectFailures(), upstream, name);
        sheet.put(Metric.NODE_FAILURES, counts.failures(), upstream, name);
        sheet.put(Metric.NODE_RETRIES, counts.retries(), upstream, name);
        for (Cause cause : Cause.values()) {
            sheet.put(Metric.NODE_EJECTIONS, node.ejectionCount(cause), upstream, name, lower(cause.name()));
        }
        sheet.putLatencies(counts, upstream, name);
    }

    private static void pool(Sheet sheet, Counters.@Nullable Pool pool) {
        if (pool == null) {
            return;
        }
        sheet.put(Metric.NODE_CONNECTIONS_OPEN, pool.open(), pool.upstreamId(), pool.node());
        sheet.put(Metric.NODE_CONNECTIONS_IDLE, pool.idle(), pool.upstreamId(), pool.node());
        sheet.put(Metric.NODE_CONNECTIONS_HELD, pool.held(), pool.upstreamId(), pool.node());
        sheet.put(Metric.NODE_WAITING, pool.waiting(), pool.upstreamId(), pool.node());
    }

    private static void check(Sheet sheet, Sources.Checked check, String node) {
        sheet.put(Metric.NODE_CHECKS, check.passedCount(), check.upstreamId(), node, "passed");
        sheet.put(Metric.NODE_CHECKS, check.failedCount(), check.upstreamId(), node, "failed");
        sheet.putNanos(Metric.NODE_CHECK_SECONDS, check.latencyNanos(), check.upstreamId(), node);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
