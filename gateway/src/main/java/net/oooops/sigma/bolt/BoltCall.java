package net.oooops.sigma.bolt;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.route.Call;
import org.jspecify.annotations.Nullable;

/** A request of Bolt as routes and the access log ask about it: a view that holds while its frame does. One for each Worker. */
final class BoltCall implements Call {
    /** What SOFARPC calls the interface that is called, with its version. */
    private static final byte[] TARGET = "sofa_head_target_service".getBytes(US_ASCII);

    private static final byte[] METHOD = "sofa_head_method_name".getBytes(US_ASCII);

    private final HeaderMap map = new HeaderMap();
    private @Nullable Frame frame;
    private ByteBuf in = Unpooled.EMPTY_BUFFER;
    private boolean mapRead;
    private boolean mapThere;

    /** Shows another request. */
    public BoltCall of(Frame shown, ByteBuf bytes) {
        frame = shown;
        in = bytes;
        mapRead = false;
        return this;
    }

    /** Lets go of what it shows. */
    void clear() {
        frame = null;
        in = Unpooled.EMPTY_BUFFER;
        map.clear();
    }

    private Frame frame() {
        Frame shown = frame;
        if (shown == null) {
            throw new IllegalStateException("no frame (expected: of() before)");
        }
        return shown;
    }

    @Override
    public boolean classIs(byte[] name) {
        return frame().classBytes() == name.length && Bytes.areAt(in, frame().classStart(), name);
    }

    @Override
    public boolean classBegins(byte[] prefix) {
        return frame().classBytes() >= prefix.length && Bytes.areAt(in, frame().classStart(), prefix);
    }

    @Override
    public boolean hasMap() {
        if (!mapRead) {
            mapRead = true;
            mapThere = map.read(in, frame().headerStart(), frame().headerBytes());
        }
        return mapThere;
    }

    @Override
    public boolean seek(byte[] key) {
        return hasMap() && map.seek(key);
    }

    @Override
    public boolean valueIs(byte[] value) {
        return map.valueIs(value);
    }

    @Override
    public boolean valueBegins(byte[] prefix) {
        return map.valueBegins(prefix);
    }

    @Override
    public String valueText() {
        return map.valueText();
    }

    /**
     * Copies what is called, as much of it as there is room for: the interface and the method where SOFARPC's header names them,
     * else the class.
     *
     * @return how many bytes it is
     */
    int copyName(byte[] target) {
        if (!seek(TARGET)) {
            int count = Math.min(frame().classBytes(), target.length);
            in.getBytes(frame().classStart(), target, 0, count);
            return count;
        }
        int at = map.copyValue(target, 0);
        if (at < target.length && seek(METHOD)) {
            target[at++] = '/';
            at = map.copyValue(target, at);
        }
        return at;
    }
}
