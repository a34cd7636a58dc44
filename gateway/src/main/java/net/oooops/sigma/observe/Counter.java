package net.oooops.sigma.observe;

import java.util.Locale;

/**
 * Everything that a Worker counts under a fixed name. Faults, refusals and pools are counted beside it, by their own names.
 *
 * <p>This is the one place of names and descriptions: whatever shows counters takes them from here.
 */
public enum Counter {
    REQUESTS_1XX(Kind.TOTAL, "Requests that ended with a status 1xx."),
    REQUESTS_2XX(Kind.TOTAL, "Requests that ended with a status 2xx."),
    REQUESTS_3XX(Kind.TOTAL, "Requests that ended with a status 3xx."),
    REQUESTS_4XX(Kind.TOTAL, "Requests that ended with a status 4xx, those whose client went away (499) included."),
    REQUESTS_5XX(Kind.TOTAL, "Requests that ended with a status 5xx or with none that is known."),
    REQUESTS_IN_FLIGHT(Kind.GAUGE, "Requests that have begun and not ended."),

    REQUEST_BODIES_LEFT(
            Kind.TOTAL,
            "Requests of HTTP/1.1 that were answered before their body had come, and whose rest was read and thrown away."),
    REQUEST_BODIES_CUT(
            Kind.TOTAL,
            "Those of them whose client took too long for the rest, by the timeouts of bodies or timeouts.body-discard, and was cut: it may not have read its answer."),

    TUNNELS(Kind.TOTAL, "Connections whose protocol was switched, to WebSocket for example, or that CONNECT opened."),
    TUNNELS_IN_FLIGHT(
            Kind.GAUGE,
            "Connections whose protocol was switched, and that have not ended. They are requests in flight, too."),
    TUNNELS_IDLE_TIMEOUTS(
            Kind.TOTAL,
            "Connections whose protocol was switched, and that were cut because no byte came from either side in time."),
    UPGRADES_IGNORED(
            Kind.TOTAL,
            "Requests that asked for another protocol, none that upgrade allows, and were answered as if they had not."),

    SESSIONS_COMPLETE(Kind.TOTAL, "Sessions that ended as both sides wished, or, with UDP, by being idle."),
    SESSIONS_CUT(Kind.TOTAL, "Sessions that ended otherwise; the faults say how."),
    SESSIONS_IN_FLIGHT(Kind.GAUGE, "Sessions that have begun and not ended."),
    RELAY_MEMORY_SHORT(
            Kind.TOTAL,
            "Times that nearly as much waited to be sent in all connections of HTTP and TCP together as runtime.relay-memory allows."),
    CALL_MEMORY_SHORT(
            Kind.TOTAL,
            "Times that all connections of Bolt together held more than runtime.call-memory allows, and clients were reset for it."),
    BODY_MEMORY_SHORT(
            Kind.TOTAL,
            "Times that bodies collected whole held more than runtime.body-memory allows, and requests failed for it."),
    HEAD_MEMORY_SHORT(
            Kind.TOTAL,
            "Times that heads of requests together held more than runtime.head-memory allows, and a large one was refused for it."),

    CALLS_SUCCEEDED(Kind.TOTAL, "Calls of Bolt that a node answered with SUCCESS."),
    CALLS_FAILED(Kind.TOTAL, "Calls of Bolt that a node answered with another status."),
    CALLS_ONE_WAY(Kind.TOTAL, "One-way calls of Bolt given to a node."),
    CALLS_UNANSWERED(Kind.TOTAL, "Calls of Bolt that no node answered or took; the faults say why."),
    CALLS_IN_FLIGHT(Kind.GAUGE, "Calls of Bolt that have begun and not ended."),

    BOLT_HEARTBEATS_ANSWERED(Kind.TOTAL, "Heartbeats of clients and nodes of Bolt that were answered."),
    BOLT_HEARTBEATS_SENT(Kind.TOTAL, "Heartbeats sent to nodes of Bolt."),
    BOLT_HEARTBEATS_MISSED(Kind.TOTAL, "Heartbeats after which nothing came from the node in time."),
    BOLT_RESPONSES_LATE(Kind.TOTAL, "Responses of Bolt nodes to calls that had ended, or that there never were."),
    BOLT_REQUESTS_OF_NODES(Kind.TOTAL, "Requests that Bolt nodes sent, which are answered with NO_PROCESSOR."),

    DOWNSTREAM_CONNECTIONS_ACCEPTED(Kind.TOTAL, "Client connections accepted and kept."),
    DOWNSTREAM_CONNECTIONS_REFUSED(
            Kind.TOTAL, "Client connections closed at once, being more than limits or file descriptors allow."),
    DOWNSTREAM_OUT_OF_DESCRIPTORS(
            Kind.TOTAL,
            "Times that no client connection could be accepted, and accepting paused, for want of a file descriptor."),
    DOWNSTREAM_CONNECTIONS_OPEN(Kind.GAUGE, "Client connections open."),
    DOWNSTREAM_IDLE_TIMEOUTS(Kind.TOTAL, "Client connections closed because no further request came in time."),
    TLS_HANDSHAKES(Kind.TOTAL, "TLS handshakes of clients that were finished."),
    TLS_HANDSHAKES_IN_FLIGHT(
            Kind.GAUGE, "Client connections that are to be encrypted here, and whose handshake isn't finished."),
    TLS_HANDSHAKES_FAILED(
            Kind.TOTAL,
            "TLS handshakes in which client and gateway couldn't agree, or that the client broke off; first messages of TLS that is passed through which aren't as they have to be."),
    TLS_HANDSHAKES_LATE(
            Kind.TOTAL,
            "TLS handshakes, or first messages of TLS that is passed through, given up, as they took longer than timeouts.handshake."),
    TLS_HANDSHAKES_CROWDED(
            Kind.TOTAL,
            "TLS handshakes given up for others, as limits.handshakes were under way and more waited, or too much of first messages was kept."),
    TLS_HANDSHAKES_EARLY(
            Kind.TOTAL,
            "TLS handshakes refused, as the certificate for the host is asked for by ACME and isn't there yet."),
    ACME_CERTIFICATES(
            Kind.TOTAL, "Certificates that were asked for by ACME and given, the first ones and renewed ones."),
    ACME_FAILURES(
            Kind.TOTAL, "Times that a certificate was asked for by ACME and not given; it is asked for again later."),
    OCSP_RESPONSES(
            Kind.TOTAL,
            "OCSP responses for certificates of servers that were verified, the first ones and renewed ones."),
    OCSP_FAILURES(
            Kind.TOTAL,
            "Times that an OCSP response was asked for, and none came that can be shown; it is asked for again later."),
    OCSP_REVOKED(Kind.TOTAL, "Certificates of servers that were found to be revoked by OCSP."),
    HTTP2_CONNECTIONS(Kind.TOTAL, "Client connections on which HTTP/2 was spoken."),
    HTTP2_STREAMS_REFUSED(
            Kind.TOTAL, "Requests of HTTP/2 that were refused unread, beyond limits.http2.streams or total-streams."),
    HTTP2_STREAMS_RESET(
            Kind.TOTAL,
            "Streams of HTTP/2 that ended before they were answered: reset by their clients, or for what these sent on them."),
    HTTP2_ERRORS(Kind.TOTAL, "Client connections of HTTP/2 ended for what was sent on them against the protocol."),
    HTTP2_FLOODS(
            Kind.TOTAL,
            "Client connections of HTTP/2 ended for more resets, frames that carry nothing, or pieces of a head than limits.http2 allow."),
    DOWNSTREAM_BYTES_RECEIVED(Kind.TOTAL, "Bytes received from clients."),
    DOWNSTREAM_BYTES_SENT(Kind.TOTAL, "Bytes sent to clients."),

    UPSTREAM_CONNECTIONS_OPENED(Kind.TOTAL, "Connections opened to nodes."),
    UPSTREAM_CONNECTIONS_REUSED(Kind.TOTAL, "Requests sent on a connection that had served another."),
    UPSTREAM_CONNECTIONS_FAILED(Kind.TOTAL, "Connections to nodes that could not be opened."),
    UPSTREAM_OUT_OF_DESCRIPTORS(Kind.TOTAL, "Those of them that could not be opened for want of a file descriptor."),
    UPSTREAM_IDLE_TIMEOUTS(Kind.TOTAL, "Connections to nodes closed because no further request needed them in time."),
    UPSTREAM_BYTES_RECEIVED(Kind.TOTAL, "Bytes received from nodes."),
    UPSTREAM_BYTES_SENT(Kind.TOTAL, "Bytes sent to nodes."),
    UPSTREAM_RETRIES(Kind.TOTAL, "Further attempts of requests and sessions whose first one failed."),
    UPSTREAM_RETRIES_OVER_BUDGET(
            Kind.TOTAL, "Requests that were not sent again because the retry budget of their upstream was spent."),
    UPSTREAM_RETRIES_REFUSED(
            Kind.TOTAL, "Requests that were not sent again because the breaker of their upstream did not let them."),
    UPSTREAM_HEDGES(
            Kind.TOTAL, "Requests that were sent to another node, too, since the first one took unusually long."),
    UPSTREAM_HEDGES_WON(Kind.TOTAL, "Those of them whose client got the other node's answer."),
    UPSTREAM_HEDGES_OVER_PERCENT(
            Kind.TOTAL, "Requests that were not sent to another node, too, being more than hedge.percent allows."),
    UPSTREAM_REQUESTS_REFUSED(Kind.TOTAL, "Requests that the breaker of their upstream refused; the faults say why."),

    UDP_SESSIONS_IN_FLIGHT(Kind.GAUGE, "Those of UDP servers among the sessions in flight."),
    DOWNSTREAM_DATAGRAMS_RECEIVED(Kind.TOTAL, "Datagrams received from clients."),
    DOWNSTREAM_DATAGRAMS_SENT(Kind.TOTAL, "Datagrams sent to clients."),
    DOWNSTREAM_DATAGRAMS_DROPPED(Kind.TOTAL, "Datagrams for clients that the system refused to send."),
    DOWNSTREAM_DATAGRAMS_DROPPED_FULL(Kind.TOTAL, "Datagrams for clients dropped because the send buffer was full."),
    UPSTREAM_DATAGRAMS_RECEIVED(Kind.TOTAL, "Datagrams received from nodes."),
    UPSTREAM_DATAGRAMS_SENT(Kind.TOTAL, "Datagrams sent to nodes."),
    UPSTREAM_DATAGRAMS_DROPPED(
            Kind.TOTAL, "Datagrams of clients that the system refused to send, or that found no node."),
    UPSTREAM_DATAGRAMS_DROPPED_FULL(Kind.TOTAL, "Datagrams of clients dropped because the send buffer was full."),
    UPSTREAM_REFUSALS(Kind.TOTAL, "Refusals of UDP nodes: ICMP said that nothing listens there."),
    DATAGRAMS_DROPPED_SESSIONS(
            Kind.TOTAL, "Datagrams of new clients dropped, being more than max-sessions or file descriptors allow."),
    DATAGRAMS_DROPPED_REFUSED(Kind.TOTAL, "Datagrams of new clients dropped because a plugin refused the session."),
    DATAGRAMS_DROPPED_DRAINING(Kind.TOTAL, "Datagrams of new clients dropped because the gateway is stopping."),

    BLOCKING_CALLS_IN_FLIGHT(Kind.GAUGE, "Requests inside blocking plugins."),
    BLOCKING_CALLS_REJECTED(Kind.TOTAL, "Requests refused because too many were inside blocking plugins."),
    PLUGIN_CONDITIONS_UNDECIDED(
            Kind.TOTAL, "Times that the condition of a plugin could not be evaluated, and the plugin acted."),
    CALLOUTS(Kind.TOTAL, "Requests of plugins on their own account, such as those to who says who may."),
    CALLOUTS_FAILED(Kind.TOTAL, "Those of them that got no answer."),
    PLUGIN_STALLS(Kind.TOTAL, "Calls of plugins that kept an event loop for more than 100 ms."),

    CONFIG_RELOADS(Kind.TOTAL, "Times that another configuration took effect while the gateway ran."),
    CONFIG_RELOADS_FAILED(
            Kind.TOTAL,
            "Times that another configuration was to take effect and had a problem, so that all stayed as it was."),

    ACCESS_LOG_LINES(Kind.TOTAL, "Access log lines taken for writing."),
    ACCESS_LOG_LINES_DROPPED(Kind.TOTAL, "Access log lines dropped because too many waited to be written."),
    ACCESS_LOG_WRITES_FAILED(
            Kind.TOTAL,
            "Times that the access log's file didn't take what was to be written, such as on a full disk, or was moved away and couldn't be"
                    + " made anew. It is tried again each second; what waits when the gateway ends is lost.");

    /** How a number changes. */
    public enum Kind {
        /** Only grows. */
        TOTAL,
        /** Goes up and down. */
        GAUGE
    }

    private final Kind kind;
    private final String label;
    private final String description;

    Counter(Kind kind, String description) {
        this.kind = kind;
        this.label = name().toLowerCase(Locale.ROOT);
        this.description = description;
    }

    /** How the number changes. */
    public Kind kind() {
        return kind;
    }

    /** The name to show, in snake case: {@code requests_2xx}. */
    public String label() {
        return label;
    }

    /** A sentence for an operator. */
    public String description() {
        return description;
    }
}
