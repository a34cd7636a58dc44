package net.oooops.sigma.observe;

import java.time.ZoneOffset;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object a line (RFC 8259), in US-ASCII: bytes that a client sent stand for the characters of ISO 8859-1. Time is UTC. Members
 * are always there, null where there is nothing to say; {@code metadata} alone is there only where a Route has any. Of a request line that isn't three words, what can be told is told.
 */
@SuppressWarnings("EnumOrdinal") // Flags are looked up by ordinals within one run.
final class JsonFormat extends LineFormat {
    private static final byte[] TIME = LineBytes.of("{\"time\":\"");
    private static final byte[] CLIENT = LineBytes.of("\",\"client\":");
    private static final byte[] PEER = LineBytes.of(",\"peer\":");
    private static final byte[] CONSUMER = LineBytes.of(",\"consumer\":");
    private static final byte[] METHOD = LineBytes.of(",\"method\":");
    private static final byte[] TARGET = LineBytes.of(",\"target\":");
    private static final byte[] PROTOCOL = LineBytes.of(",\"protocol\":");
    private static final byte[] HOST = LineBytes.of(",\"host\":");
    private static final byte[] STATUS = LineBytes.of(",\"status\":");
    private static final byte[] BYTES = LineBytes.of(",\"bytes\":");
    private static final byte[] DURATION = LineBytes.of(",\"duration_ms\":");
    private static final byte[] LISTENER = LineBytes.of(",\"listener\":");
    private static final byte[] TLS = LineBytes.of(",\"tls\":");
    private static final byte[] ROUTER = LineBytes.of(",\"router\":");
    private static final byte[] ROUTE = LineBytes.of(",\"route\":");
    private static final byte[] METADATA = LineBytes.of(",\"metadata\":");
    private static final byte[] UPSTREAM = LineBytes.of(",\"upstream\":");
    private static final byte[] NODE = LineBytes.of(",\"node\":");
    private static final byte[] NODE_TIME = LineBytes.of(",\"node_time_ms\":");
    private static final byte[] ATTEMPTS = LineBytes.of(",\"attempts\":");
    private static final byte[] FLAG = LineBytes.of(",\"flag\":");
    private static final byte[] REASON = LineBytes.of(",\"reason\":");
    private static final byte[] DETAIL = LineBytes.of(",\"detail\":");
    private static final byte[] REFERER_MEMBER = LineBytes.of(",\"referer\":");
    private static final byte[] USER_AGENT_MEMBER = LineBytes.of(",\"user_agent\":");
    private static final byte[] REQUEST_ID = LineBytes.of(",\"request_id\":");
    private static final byte[] END = LineBytes.of("}\n");
    private static final byte[] NULL = LineBytes.of("null");

    private final LogTime time = new LogTime(ZoneOffset.UTC);
    private final RequestLine requestLine = new RequestLine();

    @Override
    int write(AccessRecord ended, byte[] out) {
        int at = LineBytes.put(TIME, out, 0);
        at = time.putIso(ended.wallMillis(), out, at);
        at = putAddress(ended.clientAddress(), out, LineBytes.put(CLIENT, out, at));
        at = putAddress(ended.peerAddress(), out, LineBytes.put(PEER, out, at));
        at = putId(ended.consumerId(), out, LineBytes.put(CONSUMER, out, at));
        at = putRequestLine(ended, out, at);
        at = LineBytes.put(HOST, out, at);
        at = end(ended.copyHost(out, at + 1, HOST_BYTES_MAX), out, at);
        at = Decimal.put(ended.status(), 1, out, LineBytes.put(STATUS, out, at));
        at = Decimal.put(ended.bodyBytesSent(), 1, out, LineBytes.put(BYTES, out, at));
        at = Decimal.putMillis(ended.durationNanos(), out, LineBytes.put(DURATION, out, at));
        at = putId(ended.listenerId(), out, LineBytes.put(LISTENER, out, at));
        at = putId(ended.tlsVersion(), out, LineBytes.put(TLS, out, at));
        at = putId(ended.routerId(), out, LineBytes.put(ROUTER, out, at));
        at = putId(ended.routeId(), out, LineBytes.put(ROUTE, out, at));
        at = putMetadata(ended.metadata(), out, at);
        at = putId(ended.upstreamId(), out, LineBytes.put(UPSTREAM, out, at));
        at = putId(ended.upstreamNode(), out, LineBytes.put(NODE, out, at));
        at = putMillis(ended.nodeNanos(), out, LineBytes.put(NODE_TIME, out, at));
        at = Decimal.put(ended.attempts(), 1, out, LineBytes.put(ATTEMPTS, out, at));
        at = putReason(ended, out, at);
        at = putId(ended.detail(), out, LineBytes.put(DETAIL, out, at));
        at = LineBytes.put(REFERER_MEMBER, out, at);
        at = end(ended.copyField(REFERER, out, at + 1, FIELD_BYTES_MAX), out, at);
        at = LineBytes.put(USER_AGENT_MEMBER, out, at);
        at = end(ended.copyField(USER_AGENT, out, at + 1, FIELD_BYTES_MAX), out, at);
        at = putRequestId(ended.requestId(), out, at);
        return LineBytes.put(END, out, at);
    }

    private static int putAddress(byte[] address, byte[] out, int at) {
        int end = IpAddress.write(address, out, at + 1);
        return end(end == at + 1 ? AccessRecord.ABSENT : end, out, at);
    }

    private static int putMillis(long nanos, byte[] out, int at) {
        return nanos < 0 ? LineBytes.put(NULL, out, at) : Decimal.putMillis(nanos, out, at);
    }

    private int putRequestLine(AccessRecord ended, byte[] out, int start) {
        requestLine.read(ended);
        int at = putPart(METHOD, 0, requestLine.methodEnd(), out, start);
        at = putPart(TARGET, requestLine.targetStart(), requestLine.targetEnd(), out, at);
        return putPart(PROTOCOL, requestLine.protocolStart(), requestLine.protocolEnd(), out, at);
    }

    private int putPart(byte[] member, int from, int to, byte[] out, int start) {
        int at = LineBytes.put(member, out, start);
        if (from >= to) {
            return LineBytes.put(NULL, out, at);
        }
        System.arraycopy(requestLine.bytes(), from, out, at + 1, to - from);
        return end(at + 1 + to - from, out, at);
    }

    /** Puts quotes around what was copied to {@code at + 1}, escaped, or {@code null} to {@code at} where nothing was. */
    private static int end(int copiedEnd, byte[] out, int at) {
        if (copiedEnd == AccessRecord.ABSENT) {
            return LineBytes.put(NULL, out, at);
        }
        out[at] = '"';
        int end = Escaping.JSON.apply(out, at + 1, copiedEnd);
        out[end] = '"';
        return end + 1;
    }

    private static int putId(@Nullable String id, byte[] out, int start) {
        if (id == null) {
            return LineBytes.put(NULL, out, start);
        }
        int at = start;
        out[at++] = '"';
        int length = Math.min(id.length(), ID_CHARS_MAX);
        for (int i = 0; i < length; i++) {
            at = Escaping.putJson(id.charAt(i), out, at);
        }
        out[at++] = '"';
        return at;
    }

    private static int putRequestId(@Nullable String id, byte[] out, int at) {
        return id == null ? at : putId(id, out, LineBytes.put(REQUEST_ID, out, at));
    }

    private static int putMetadata(@Nullable Metadata metadata, byte[] out, int at) {
        return metadata == null ? at : metadata.copyJsonTo(out, LineBytes.put(METADATA, out, at));
    }

    private static int putReason(AccessRecord ended, byte[] out, int start) {
        Fault fault = ended.fault();
        int at = LineBytes.put(FLAG, out, start);
        if (fault == null && ended.pluginReason() == null) {
            at = LineBytes.put(NULL, out, at);
        } else {
            out[at++] = '"';
            at = LineBytes.put(fault == null ? PLUGIN_FLAG : FLAGS[fault.ordinal()], out, at);
            out[at++] = '"';
        }
        return putId(reason(ended), out, LineBytes.put(REASON, out, at));
    }
}
