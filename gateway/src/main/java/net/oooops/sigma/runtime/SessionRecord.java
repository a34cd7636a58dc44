package net.oooops.sigma.runtime;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.observe.AccessRecord;
import org.jspecify.annotations.Nullable;

/**
 * A session that ended, as its line in the access log wants it. There is nothing of a request to be told, and no status.
 *
 * @param session that ended
 * @param endNanos when, by the Worker's clock
 */
record SessionRecord(WorkerSession session, long endNanos) implements AccessRecord {
    @Override
    public long durationNanos() {
        return endNanos - session.startNanos();
    }

    @Override
    public byte[] peerAddress() {
        return session.peerAddress().octets();
    }

    @Override
    public byte[] clientAddress() {
        return session.clientAddress().octets();
    }

    @Override
    public int copyRequestLine(byte[] target, int at, int bytesMax) {
        return ABSENT;
    }

    @Override
    public int copyHost(byte[] target, int at, int bytesMax) {
        String host = session.host();
        if (host == null) {
            return ABSENT;
        }
        byte[] bytes = host.getBytes(StandardCharsets.ISO_8859_1);
        int count = Math.min(bytes.length, bytesMax);
        System.arraycopy(bytes, 0, target, at, count);
        return at + count;
    }

    @Override
    public @Nullable String tlsHost() {
        return session.host();
    }

    @Override
    public @Nullable String tlsVersion() {
        return session.tlsVersion();
    }

    @Override
    public int copyField(FieldName name, byte[] target, int at, int bytesMax) {
        return ABSENT;
    }

    @Override
    public int status() {
        return 0;
    }

    @Override
    public long bodyBytesSent() {
        return session.bytesToClient();
    }

    @Override
    public @Nullable Fault fault() {
        return session.fault();
    }

    @Override
    public @Nullable String note() {
        return session.note();
    }

    @Override
    public String listenerId() {
        return session.listenerId();
    }

    @Override
    public @Nullable String routeId() {
        return session.routeId();
    }

    @Override
    public @Nullable String upstreamId() {
        return session.upstreamId();
    }

    @Override
    public @Nullable String upstreamNode() {
        WorkerNode node = session.lastNode();
        return node == null ? null : node.name();
    }

    @Override
    public int attempts() {
        return session.attempts();
    }
}
