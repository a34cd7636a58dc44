package net.oooops.sigma.observe;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Metadata;
import org.jspecify.annotations.Nullable;

/** An exchange as a test wants it; it keeps to the contract of cutting what is too long. */
final class TestRecord implements AccessRecord {
    long wallMillis = 971_211_336_123L;
    long durationNanos = 12_345_678;
    byte[] peerAddress = {(byte) 192, 0, 2, 7};
    byte @Nullable [] clientAddress;
    byte @Nullable [] requestLine = latin1("GET /a?b=c HTTP/1.1");
    byte @Nullable [] host = latin1("example.com:8080");
    int status = 200;
    long bodyBytesSent = 2326;

    @Nullable Fault fault;

    @Nullable String pluginReason;

    @Nullable String detail;

    @Nullable String consumerId;

    @Nullable String requestId;

    @Nullable String routerId = "main";

    @Nullable String routeId = "r1";

    @Nullable Metadata metadata;

    @Nullable String upstreamId = "u1";

    @Nullable String upstreamNode = "10.0.0.1:80";

    int attempts = 1;
    long nodeNanos = 7_890_123;
    private final Map<FieldName, byte[]> fields = new LinkedHashMap<>();

    static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    TestRecord with(String name, String value) {
        fields.put(FieldName.of(name), latin1(value));
        return this;
    }

    private static int copy(byte @Nullable [] from, byte[] target, int at, int bytesMax) {
        if (from == null) {
            return ABSENT;
        }
        int length = Math.min(from.length, bytesMax);
        System.arraycopy(from, 0, target, at, length);
        return at + length;
    }

    @Override
    public long wallMillis() {
        return wallMillis;
    }

    @Override
    public long durationNanos() {
        return durationNanos;
    }

    @Override
    public byte[] peerAddress() {
        return peerAddress;
    }

    @Override
    public byte[] clientAddress() {
        return clientAddress == null ? peerAddress : clientAddress;
    }

    @Override
    public int copyRequestLine(byte[] target, int at, int bytesMax) {
        return copy(requestLine, target, at, bytesMax);
    }

    @Override
    public int copyHost(byte[] target, int at, int bytesMax) {
        return copy(host, target, at, bytesMax);
    }

    @Override
    public int copyField(FieldName name, byte[] target, int at, int bytesMax) {
        return copy(fields.get(name), target, at, bytesMax);
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public long bodyBytesSent() {
        return bodyBytesSent;
    }

    @Override
    public @Nullable Fault fault() {
        return fault;
    }

    @Override
    public String listenerId() {
        return "http";
    }

    @Override
    public @Nullable String routeId() {
        return routeId;
    }

    @Override
    public @Nullable String routerId() {
        return routerId;
    }

    @Override
    public @Nullable String requestId() {
        return requestId;
    }

    @Override
    public @Nullable Metadata metadata() {
        return metadata;
    }

    @Override
    public @Nullable String upstreamId() {
        return upstreamId;
    }

    @Override
    public @Nullable String upstreamNode() {
        return upstreamNode;
    }

    @Override
    public boolean isOfHttp() {
        return true;
    }

    @Override
    public long nodeNanos() {
        return nodeNanos;
    }

    @Override
    public int attempts() {
        return attempts;
    }

    @Override
    public @Nullable String pluginReason() {
        return pluginReason;
    }

    @Override
    public @Nullable String detail() {
        return detail;
    }

    @Override
    public @Nullable String consumerId() {
        return consumerId;
    }
}
