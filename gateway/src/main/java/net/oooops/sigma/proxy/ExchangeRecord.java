package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.http.FieldValues;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Span;
import net.oooops.sigma.observe.AccessRecord;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/** An exchange that ended, as its line in the access log wants it. One for each Worker, shown one exchange after the other. */
final class ExchangeRecord implements AccessRecord {
    private static final byte[] NO_ADDRESS = new byte[0];

    private @Nullable HttpExchange x;
    private int status;
    private long endNanos;

    /** Shows another exchange. */
    ExchangeRecord of(HttpExchange ended, int withStatus, long atNanos) {
        x = ended;
        status = withStatus;
        endNanos = atNanos;
        return this;
    }

    private HttpExchange exchange() {
        HttpExchange shown = x;
        if (shown == null) {
            throw new IllegalStateException("no exchange (expected: of() before)");
        }
        return shown;
    }

    @Override
    public long durationNanos() {
        return endNanos - exchange().startNanos;
    }

    @Override
    public byte[] peerAddress() {
        Peer peer = exchange().peer;
        return peer == null ? NO_ADDRESS : peer.octets();
    }

    @Override
    public boolean isOfHttp() {
        return true;
    }

    /** Allocates where the peer is a trusted proxy. */
    @Override
    public byte[] clientAddress() {
        Peer peer = exchange().peer;
        if (peer == null) {
            return NO_ADDRESS;
        }
        Forwarding forwarding = exchange().plan.forwarding();
        return peer.isTrustedBy(forwarding)
                ? forwarding.clientIp(exchange().request.head, peer).octets()
                : peer.octets();
    }

    @Override
    public int copyRequestLine(byte[] target, int at, int bytesMax) {
        HttpRequestHead head = exchange().request.head;
        int length = head.requestLineBytes();
        return length == 0 ? ABSENT : head.copyReceived(0, length, target, at, bytesMax);
    }

    @Override
    public int copyHost(byte[] target, int at, int bytesMax) {
        HttpRequestHead head = exchange().request.head;
        int start = head.authorityStart();
        int end = head.authorityEnd();
        return start == end ? ABSENT : head.copyReceived(start, end, target, at, bytesMax);
    }

    @Override
    public int copyField(FieldName name, byte[] target, int at, int bytesMax) {
        HttpRequestHead head = exchange().request.head;
        long value = FieldValues.first(head, name);
        return value == Span.NONE
                ? ABSENT
                : head.copyReceived(Span.start(value), Span.end(value), target, at, bytesMax);
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public long bodyBytesSent() {
        return Math.max(
                0, exchange().response.body.sentBytes() - exchange().stream.unsentBytes());
    }

    @Override
    public @Nullable Fault fault() {
        Ending ending = exchange().ending;
        return ending.reason() == null ? ending.fault() : null;
    }

    @Override
    public @Nullable String pluginReason() {
        Reason reason = exchange().ending.reason();
        return reason == null ? null : reason.text();
    }

    @Override
    public @Nullable String detail() {
        return exchange().ending.detail();
    }

    @Override
    public @Nullable String consumerId() {
        Consumer consumer = exchange().cursor.consumer();
        return consumer == null ? null : consumer.id();
    }

    @Override
    public @Nullable String requestId() {
        return exchange().cursor.value(Key.REQUEST_ID) instanceof String id ? id : null;
    }

    @Override
    public @Nullable String note() {
        return exchange().ending.note();
    }

    @Override
    public String listenerId() {
        return exchange().proxy.plan.listener().id();
    }

    @Override
    public @Nullable String tlsVersion() {
        Peer peer = exchange().peer;
        TlsSession session = peer == null ? null : peer.tls();
        return session == null ? null : session.version();
    }

    @Override
    public @Nullable String tlsHost() {
        Peer peer = exchange().peer;
        TlsSession session = peer == null ? null : peer.tls();
        return session == null ? null : session.host();
    }

    @Override
    public @Nullable String routeId() {
        RoutePlan plan = exchange().plan;
        return plan.routeId().isEmpty() ? null : plan.routeId();
    }

    @Override
    public @Nullable String routerId() {
        RoutePlan plan = exchange().plan;
        return plan.routerId().isEmpty() ? null : plan.routerId();
    }

    @Override
    public @Nullable Metadata metadata() {
        return exchange().cursor.value(Key.METADATA) instanceof Metadata of ? of : null;
    }

    @Override
    public @Nullable String upstreamId() {
        RoutePlan plan = exchange().plan;
        return plan.upstream() == null ? null : plan.upstreamId();
    }

    @Override
    public @Nullable String upstreamNode() {
        HttpNode node = exchange().attempt.lastNode();
        return node == null ? null : node.name();
    }

    @Override
    public long nodeNanos() {
        return exchange().history.answerNanos();
    }

    @Override
    public int attempts() {
        return exchange().history.count();
    }
}
