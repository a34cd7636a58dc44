package net.oooops.sigma.admin;

import java.util.List;
import java.util.Locale;

/**
 * The metrics beside those of {@link net.oooops.sigma.observe.Counter}. This is the one place of their names, labels and descriptions.
 * Names stay as they are: alerts and dashboards hang on them.
 */
enum Metric {
    BUILD(Kind.CONSTANT, "1, with the versions of Sigma and of what it runs on.", "version", "jdk", "netty", "vertx"),
    PROCESS_START_TIME_SECONDS(Kind.GAUGE, "When the process was started, seconds since 1970."),

    REQUESTS(Kind.COUNTER, "Requests that ended, by the class of their status.", "class"),
    FAULTS(
            Kind.COUNTER,
            "Requests, sessions and calls that failed, by the reason in the table of response flags.",
            "fault"),
    REFUSALS(Kind.COUNTER, "Messages that were refused, by what was wrong with them.", "reason"),
    PLUGIN_REFUSALS(Kind.COUNTER, "Requests that a plugin answered itself, by its reason.", "plugin", "reason"),
    PLUGIN_TIMER_FAILURES(Kind.COUNTER, "Times that what a plugin does again and again failed.", "plugin", "timer"),
    PLUGIN_SHADOW(Kind.COUNTER, "What plugins in shadow would have done.", "plugin", "outcome", "status", "reason"),
    WORKERS(Kind.GAUGE, "Workers, each with an event loop."),
    WORKER_STALLED(Kind.GAUGE, "1 where a Worker's event loop hasn't come round for ten seconds, else 0.", "worker"),
    DRAINING(Kind.GAUGE, "1 from when the end was asked for, else 0."),
    NODES_LEFT_OUT(Kind.GAUGE, "Nodes that aren't shown, being more than 1000."),
    UPSTREAMS_LEFT_OUT(Kind.GAUGE, "Upstreams that aren't shown, being more than 10000."),
    ADMIN_CONNECTIONS_REFUSED(
            Kind.COUNTER,
            "Connections to the admin server closed because there were more than 16: one without a request, or the new one."),
    ADMIN_CONNECTIONS_CUT(
            Kind.COUNTER,
            "Connections to the admin server closed because they took three seconds to ask, or ten in all."),
    ADMIN_HOSTS_REFUSED(Kind.COUNTER, "Requests to the admin server for a host of another name."),
    ADMIN_PAGES_REFUSED(Kind.COUNTER, "Pages of metrics or nodes not sent, as four were under way."),

    REDIS_CONNECTIONS(Kind.GAUGE, "Connections to Redis that may be used.", "redis"),
    REDIS_WAITING(Kind.GAUGE, "Commands that Redis hasn't answered yet.", "redis"),
    REDIS_COMMANDS(Kind.COUNTER, "Commands that plugins have sent to Redis.", "redis"),
    REDIS_FAILURES(
            Kind.COUNTER,
            "Commands that got no answer, by why: gone (no connection), timeout, full (too many wait), refused (an error), garbage.",
            "redis",
            "cause"),

    CERTIFICATE_EXPIRY_SECONDS(
            Kind.GAUGE,
            "When a certificate that is shown, or a list of revoked ones, expires, seconds since 1970.",
            "server",
            "upstream",
            "file"),
    CERTIFICATE_FILES_WRONG(
            Kind.GAUGE,
            "Whether files of certificates can't be used as they are now, so that what was there before stays.",
            "server",
            "upstream",
            "file"),

    NAME_FAILURES(Kind.COUNTER, "Questions for names of nodes that name servers had no answer to."),
    NAMES_FAILING(Kind.GAUGE, "Names of nodes that name servers have no answer for now."),

    UPSTREAM_CONNECTIONS_BOUNDED(
            Kind.COUNTER, "Requests kept waiting as connections to nodes took their part of the file descriptors."),
    UPSTREAM_NODES(Kind.GAUGE, "Nodes of the upstream.", "upstream"),
    UPSTREAM_NODES_AVAILABLE(Kind.GAUGE, "Those of them that are healthy, or spared.", "upstream"),
    UPSTREAM_NODES_CHANGES(Kind.COUNTER, "Times that the upstream's nodes have changed.", "upstream"),
    UPSTREAM_NODES_FAILURES(
            Kind.COUNTER,
            "Times that the list of nodes could not be had from nodes-file or dns-srv, and the last one stayed.",
            "upstream"),
    UPSTREAM_NODES_STALE(Kind.GAUGE, "1 while the last list of nodes stays for that, else 0.", "upstream"),
    UPSTREAM_PANICKING(Kind.GAUGE, "1 while so few nodes are healthy that all are used, else 0.", "upstream"),
    UPSTREAM_PANICS(Kind.COUNTER, "Times that it came to that.", "upstream"),
    UPSTREAM_RETRY_BUDGET(Kind.GAUGE, "Requests that may be sent again now.", "upstream"),
    UPSTREAM_RETRY_BUDGET_REFUSALS(
            Kind.COUNTER, "Times that the retry budget was spent when it was asked.", "upstream"),
    UPSTREAM_BREAKER_STATE(
            Kind.GAUGE, "1 for the state that the breaker is in, 0 for the others.", "upstream", "state"),
    UPSTREAM_BREAKER_OPENINGS(Kind.COUNTER, "Times that too many requests failed, and the breaker opened.", "upstream"),
    UPSTREAM_BREAKER_REQUESTS_IN_FLIGHT(Kind.GAUGE, "Requests in flight that the breaker counts.", "upstream"),
    UPSTREAM_BREAKER_REQUESTS_LIMIT(
            Kind.GAUGE,
            "Requests that may be in flight; with adaptive, without an answer, as found out. Absent where there is no bound.",
            "upstream"),
    UPSTREAM_BREAKER_REFUSALS(
            Kind.COUNTER,
            "What the breaker refused, by the limit that was reached; by connections: requests that it kept waiting.",
            "upstream",
            "limit"),

    NODE_HEALTH(Kind.GAUGE, "1 for how the node stands, 0 for the others.", "upstream", "node", "health"),
    NODE_ASIDE(Kind.GAUGE, "1 while others are preferred: a backup, or in another zone. Else 0.", "upstream", "node"),
    NODE_WEIGHT(Kind.GAUGE, "The node's weight.", "upstream", "node"),
    NODE_REQUESTS(Kind.COUNTER, "Requests, sessions and calls sent to the node.", "upstream", "node"),
    NODE_CONNECT_FAILURES(
            Kind.COUNTER,
            "Requests, sessions and calls that could not be sent to the node, as no connection to it could be opened.",
            "upstream",
            "node"),
    NODE_IN_FLIGHT(
            Kind.GAUGE,
            "Requests, sessions and calls under way to the node, those that wait for a connection to it included.",
            "upstream",
            "node"),
    NODE_FAILURES(Kind.COUNTER, "Answers that told of an error, or didn't come.", "upstream", "node"),
    NODE_RETRIES(
            Kind.COUNTER,
            "Tries on the node that came to nothing and were followed by another one.",
            "upstream",
            "node"),
    NODE_EJECTIONS(Kind.COUNTER, "Ejections of the node, by what it was ejected for.", "upstream", "node", "cause"),
    NODE_CHECKS(Kind.COUNTER, "Active checks of the node that ended.", "upstream", "node", "result"),
    NODE_CHECK_SECONDS(Kind.GAUGE, "How long the last check took that passed.", "upstream", "node"),
    NODE_CONNECTIONS_OPEN(Kind.GAUGE, "Connections to the node: in use, idle and being opened.", "upstream", "node"),
    NODE_CONNECTIONS_IDLE(Kind.GAUGE, "Those of them that nothing uses.", "upstream", "node"),
    NODE_CONNECTIONS_HELD(Kind.GAUGE, "Those of them that slow clients hold.", "upstream", "node"),
    NODE_WAITING(Kind.GAUGE, "Requests and calls that wait for a connection to the node.", "upstream", "node"),
    NODE_RESPONSE_SECONDS(
            Kind.HISTOGRAM,
            "From when a request or call was given to the node until its answer began; of TCP, until the connection was open.",
            "upstream",
            "node");

    /** How Prometheus takes it. */
    enum Kind {
        COUNTER,
        GAUGE,
        /** A gauge that is 1, whose labels say something. */
        CONSTANT,
        HISTOGRAM
    }

    private final Kind kind;
    private final String label;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // Made by List.of.
    private final List<String> labels;

    Metric(Kind kind, String description, String... labels) {
        this.kind = kind;
        this.label = name().toLowerCase(Locale.ROOT);
        this.description = description;
        this.labels = List.of(labels);
    }

    Kind kind() {
        return kind;
    }

    /** Its name, without {@code _total} of a counter and {@code _info} of a constant. What any process has is called as everywhere. */
    String metric() {
        return this == PROCESS_START_TIME_SECONDS ? label : "sigma_" + label;
    }

    String description() {
        return description;
    }

    /** The names of its labels, in the order in which values are given. */
    List<String> labels() {
        return labels;
    }
}
