package net.oooops.sigma.bolt;

import static java.nio.charset.StandardCharsets.US_ASCII;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.observe.AccessRecord;
import org.jspecify.annotations.Nullable;

/**
 * A call that ended, as its line in the access log wants it: in the place of the request line {@code CALL} or {@code ONE-WAY}, what
 * is called, and the version of Bolt; in the place of the status that of Bolt. One for each Worker, shown one call after the other.
 */
final class BoltRecord implements AccessRecord {
    private static final byte[] CALL = "CALL ".getBytes(US_ASCII);
    private static final byte[] ONE_WAY = "ONE-WAY ".getBytes(US_ASCII);
    private static final byte[] V1 = " BOLT/1".getBytes(US_ASCII);
    private static final byte[] V2 = " BOLT/2".getBytes(US_ASCII);
    private static final byte[] NO_ADDRESS = {};

    private @Nullable BoltExchange x;
    private int status;
    private long endNanos;

    /** Shows another call. */
    BoltRecord of(BoltExchange ended, int withStatus, long atNanos) {
        x = ended;
        status = withStatus;
        endNanos = atNanos;
        return this;
    }

    private BoltExchange exchange() {
        BoltExchange shown = x;
        if (shown == null) {
            throw new IllegalStateException("no call (expected: of() before)");
        }
        return shown;
    }

    @Override
    public long durationNanos() {
        return endNanos - exchange().startNanos;
    }

    @Override
    public byte[] peerAddress() {
        BoltClient client = exchange().client;
        return client == null ? NO_ADDRESS : client.octets();
    }

    @Override
    public int copyRequestLine(byte[] target, int at, int bytesMax) {
        BoltExchange shown = exchange();
        byte[] begin = shown.oneWay ? ONE_WAY : CALL;
        byte[] end = shown.form() == FrameForm.V1 ? V1 : V2;
        int nameBytes = Math.min(shown.nameBytes, bytesMax - begin.length - end.length);
        System.arraycopy(begin, 0, target, at, begin.length);
        System.arraycopy(shown.name, 0, target, at + begin.length, nameBytes);
        System.arraycopy(end, 0, target, at + begin.length + nameBytes, end.length);
        return at + begin.length + nameBytes + end.length;
    }

    @Override
    public int copyHost(byte[] target, int at, int bytesMax) {
        return ABSENT;
    }

    @Override
    public int copyField(FieldName name, byte[] target, int at, int bytesMax) {
        return ABSENT;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public long bodyBytesSent() {
        return exchange().responseBytes;
    }

    @Override
    public @Nullable Fault fault() {
        return exchange().fault;
    }

    @Override
    public String listenerId() {
        return exchange().flow.listener().listener().id();
    }

    @Override
    public @Nullable String routeId() {
        BoltRoutePlan route = exchange().route;
        return route == null ? null : route.routeId();
    }

    @Override
    public @Nullable String upstreamId() {
        BoltRoutePlan route = exchange().route;
        return route == null ? null : route.upstream().id();
    }

    @Override
    public @Nullable String upstreamNode() {
        BoltNode node = exchange().lastNode;
        return node == null ? null : node.name();
    }

    @Override
    public int attempts() {
        return exchange().attempts;
    }
}
