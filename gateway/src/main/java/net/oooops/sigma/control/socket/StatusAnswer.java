package net.oooops.sigma.control.socket;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.admin.Listing;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeCounts;
import net.oooops.sigma.upstream.SteeredNodes;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** {@code status}: what runs, since when, with which configuration, and how its nodes stand. Any thread. */
public final class StatusAnswer implements Steered {
    /** So many nodes are shown. */
    static final int NODES_MAX = 10_000;

    /** So many Upstreams are shown. */
    static final int UPSTREAMS_MAX = 10_000;

    private static final int LABEL_CHARS = 15;

    private final StatusSources sources;

    public StatusAnswer(StatusSources sources) {
        this.sources = sources;
    }

    @Override
    public Answer answer(Asked asked) {
        List<Upstream> upstreams = sources.upstreams().get();
        Listing listing = Listing.of(upstreams, NODES_MAX, UPSTREAMS_MAX);
        StatusSources.Configuration configuration = sources.configuration().get();
        List<StatusSources.Listening> listeners = sources.listeners().get();
        Map<String, String> levels = LogLevels.levels();
        long connections = sources.connections().getAsLong();
        StringBuilder text = new StringBuilder();
        head(text);
        write(text, configuration);
        boolean rolledBack = sources.rolledBack().getAsBoolean();
        if (rolledBack) {
            line(text, "rolled back", "until a reload, an upgrade or a start, which take what the files say");
        }
        listeners.forEach(each -> line(text, "listens on", text(each)));
        List<StatusSources.DroppedIn> dropIns = sources.dropIns().get();
        dropIns.forEach(each -> line(text, "plugins", each.text()));
        line(text, "connections", String.valueOf(connections));
        List<DrainingProcess> stillDraining = sources.stillDraining().get();
        stillDraining.forEach(each -> line(text, "still drains", text(each)));
        line(text, "log", LogLevels.text(levels));
        listing.upstreams().forEach(each -> write(text, each));
        if (listing.leftOutCount() > 0 || listing.upstreamsLeftOutCount() > 0) {
            text.append("and ")
                    .append(listing.upstreamsLeftOutCount())
                    .append(" upstreams and ")
                    .append(listing.leftOutCount())
                    .append(" nodes more\n");
        }
        List<SteeredNodes.Word> absent = sources.absent().get();
        writeAbsent(text, absent);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", sources.version());
        json.put("pid", ProcessHandle.current().pid());
        json.put("since", sources.since().toString());
        json.put("draining", sources.draining().getAsBoolean());
        Map<String, @Nullable Object> holds = configuration.json();
        holds.put("rolled_back", rolledBack);
        json.put("configuration", holds);
        json.put("listeners", listeners.stream().map(StatusAnswer::json).toList());
        json.put("plugins", dropIns.stream().map(StatusSources.DroppedIn::json).toList());
        json.put("connections", connections);
        json.put(
                "still_draining",
                stillDraining.stream().map(DrainingProcess::json).toList());
        json.put("log_levels", levels);
        json.put(
                "upstreams",
                listing.upstreams().stream().map(StatusAnswer::json).toList());
        json.put("absent_nodes", absent.stream().map(NodeAnswers::json).toList());
        json.put("left_out", listing.leftOutCount());
        json.put("upstreams_left_out", listing.upstreamsLeftOutCount());
        return new Answer(text.toString(), json);
    }

    private static void writeAbsent(StringBuilder text, List<SteeredNodes.Word> absent) {
        if (!absent.isEmpty()) {
            text.append("said of nodes that aren't there:\n");
            absent.forEach(each -> text.append("  ")
                    .append(each.upstream())
                    .append('/')
                    .append(each.node())
                    .append("  ")
                    .append(each.said().text())
                    .append('\n'));
        }
    }

    private static String text(StatusSources.Listening listening) {
        Integer connections = listening.connections();
        return listening.url() + " (" + listening.id() + (connections == null ? "" : ", " + connections + " connected")
                + ")";
    }

    private static String text(DrainingProcess draining) {
        return draining.text() + ", since " + shown(draining.since());
    }

    private static Map<String, @Nullable Object> json(StatusSources.Listening listening) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", listening.id());
        json.put("url", listening.url());
        json.put("connections", listening.connections());
        return json;
    }

    private void head(StringBuilder text) {
        text.append("sigma ")
                .append(sources.version())
                .append(", pid ")
                .append(ProcessHandle.current().pid())
                .append(", since ")
                .append(shown(sources.since()))
                .append(sources.draining().getAsBoolean() ? ", draining\n" : "\n");
    }

    private static void write(StringBuilder text, StatusSources.Configuration configuration) {
        line(
                text,
                "configuration",
                "generation " + configuration.generation() + ", by " + configuration.who() + ", since "
                        + shown(configuration.since())
                        + (configuration.number().isPresent()
                                ? ", number " + configuration.number().getAsInt() + " of the history"
                                : ""));
        line(text, "sha256", configuration.hash());
        configuration.files().forEach(file -> line(text, "file", file));
    }

    private static void line(StringBuilder text, String label, String value) {
        text.append("  ")
                .append(label)
                .repeat(' ', LABEL_CHARS - label.length())
                .append(value)
                .append('\n');
    }

    private static void write(StringBuilder text, Listing.Listed listed) {
        Upstream upstream = listed.upstream();
        Breaker breaker = upstream.breaker();
        long failing = listed.nodes().stream().filter(Node::isFailing).count();
        text.append("upstream ")
                .append(upstream.id())
                .append(": ")
                .append(upstream.availableCount())
                .append(" of ")
                .append(upstream.nodes().size())
                .append(" nodes available")
                .append(failing == 0 ? "" : ", of " + failing + " the last attempt failed")
                .append(upstream.isPanicking() ? ", so few that all are used" : "")
                .append(upstream.freshness().isStale() ? ", the list may be old" : "")
                .append(breaker == null ? "" : ", breaker " + breaker.state())
                .append('\n');
        int width = listed.nodes().stream()
                .mapToInt(node -> node.name().length())
                .max()
                .orElse(0);
        listed.nodes().forEach(node -> write(text, node, width));
    }

    private static String health(Node node) {
        String health = Listing.health(node);
        // Nobody knows it to be that.
        return node.isFailing() && health.equals("healthy") ? "last attempt failed" : health;
    }

    private static void write(StringBuilder text, Node node, int width) {
        String why = node.why();
        text.append("  ")
                .append(node.name())
                .repeat(' ', width - node.name().length())
                .append("  ")
                .append(health(node))
                .append(", weight ")
                .append(node.config().weight())
                .append(node.config().backup() ? ", backup" : "")
                .append(", ")
                .append(node.inFlight())
                .append(" in flight, ")
                .append(node.counts().failures())
                .append(" failed, since ")
                .append(shown(Instant.ofEpochMilli(node.sinceMillis())))
                .append(why.isEmpty() ? "" : ": " + why)
                .append('\n');
        Node.Failure last = node.lastFailure();
        if (last != null) {
            text.append("    last failure ")
                    .append(last.fault())
                    .append(" (")
                    .append(last.why())
                    .append("), ")
                    .append(shown(Instant.ofEpochMilli(last.atMillis())))
                    .append('\n');
        }
    }

    private static Map<String, @Nullable Object> json(Listing.Listed listed) {
        Upstream upstream = listed.upstream();
        Breaker breaker = upstream.breaker();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", upstream.id());
        json.put("available", upstream.availableCount());
        json.put("panicking", upstream.isPanicking());
        json.put("stale", upstream.freshness().isStale());
        json.put("breaker", breaker == null ? null : breaker.state());
        List<Object> nodes = new ArrayList<>();
        listed.nodes().forEach(node -> nodes.add(json(node)));
        json.put("nodes", nodes);
        return json;
    }

    private static Map<String, @Nullable Object> json(Node node) {
        Node.Failure last = node.lastFailure();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("node", node.name());
        json.put("address", node.config().hostAndPort());
        json.put("health", Listing.health(node));
        json.put("why", node.why());
        json.put("since", Instant.ofEpochMilli(node.sinceMillis()).toString());
        json.put("weight", node.config().weight());
        json.put("backup", node.config().backup());
        json.put("zone", node.config().zone());
        json.put("in_flight", node.inFlight());
        NodeCounts counts = node.counts();
        json.put("requests", counts.requests());
        json.put("connect_failures", counts.connectFailures());
        json.put("failures", counts.failures());
        json.put("last_attempt_failed", node.isFailing());
        json.put("last_failure", last == null ? null : json(last));
        return json;
    }

    private static Map<String, Object> json(Node.Failure failure) {
        return Map.of(
                "fault",
                failure.fault().name(),
                "why",
                failure.why(),
                "at",
                Instant.ofEpochMilli(failure.atMillis()).toString());
    }

    /** To the second, with how long ago that is. */
    private static String shown(Instant since) {
        Duration age = Duration.between(since, Instant.now());
        return since.truncatedTo(ChronoUnit.SECONDS) + " (" + shown(age) + ")";
    }

    private static String shown(Duration age) {
        if (age.toDays() > 0) {
            return age.toDays() + "d " + age.toHoursPart() + "h";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h " + age.toMinutesPart() + "m";
        }
        return age.toMinutes() > 0
                ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
                : Math.max(0, age.toSeconds()) + "s";
    }
}
