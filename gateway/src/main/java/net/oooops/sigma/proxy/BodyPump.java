package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import net.oooops.sigma.http.BodySink;
import org.jspecify.annotations.Nullable;

/**
 * A body on its way from one side of an exchange to the other: shown to plugins and written as it comes, queued where it can't go
 * on yet, or collected whole first. One for each direction of an exchange, made once with it and used again.
 */
final class BodyPump {
    /** Where the body goes. */
    enum Direction {
        TO_NODE,
        TO_CLIENT
    }

    /** Parts that wait for plugins or for the other side. */
    final BodyQueue queue = new BodyQueue();

    private final boolean toNode;
    private boolean collecting;
    private boolean collected;
    private boolean draining;
    private long sentBytes;
    /** What plugins have been shown. */
    private long shownBytes;
    /** A copy of what has gone on, where it may have to go once more. */
    private @Nullable KeptBody kept;

    BodyPump(Direction direction) {
        this.toNode = direction == Direction.TO_NODE;
    }

    /** Makes it ready for another body. What was queued has been given up before. */
    void reset() {
        collecting = false;
        collected = false;
        draining = false;
        sentBytes = 0;
        shownBytes = 0;
        kept = null;
    }

    /** From now on a copy of what goes on is kept, up to so many bytes. */
    void keep(KeptBody.Room room, int bytesMax) {
        kept = new KeptBody(room, bytesMax);
    }

    /** Whether nothing has gone on yet, and no copy is kept. */
    boolean mayBeKept() {
        return kept == null && sentBytes == 0;
    }

    /** It doesn't go on any more. */
    void forgetKept() {
        if (kept != null) {
            kept.drop();
            kept = null;
        }
    }

    /** Whether all that has gone on is still there. */
    boolean isRepeatable() {
        return sentBytes == 0 || (kept != null && kept.isWhole());
    }

    /** What has gone on goes on once more, before the rest. */
    void repeat() {
        if (kept != null && sentBytes > 0) {
            queue.putBack(kept.take());
        }
        sentBytes = 0;
        draining = false;
    }

    /** The whole body is to be here before anything else happens. */
    void collect() {
        collecting = true;
    }

    /** The whole body is here: its length is known, whatever framing it came in. */
    void collected() {
        collecting = false;
        collected = true;
    }

    /** Another body took its place. */
    void replaced() {
        collected = false;
    }

    /** It isn't needed any more. */
    void stopCollecting() {
        collecting = false;
    }

    boolean isCollecting() {
        return collecting;
    }

    boolean isCollected() {
        return collected;
    }

    /** Whether anything waits to go on. */
    boolean isWaiting() {
        return queue.bytes() > 0;
    }

    /** What waits to go on, beside what is collected. */
    long waitingBytes() {
        return collecting || collected ? 0 : queue.heldBytes();
    }

    /** The body as plugins see it: read-only, empty where none was collected. */
    ByteBuffer gathered() {
        return collected ? queue.gathered() : ByteBuffer.allocate(0).asReadOnlyBuffer();
    }

    /**
     * Adds to what is collected.
     *
     * @return false where it is more than is to be collected: then the exchange is to fail
     */
    boolean add(HttpExchange x, ByteBuf in, int count, BodyMemory memory) {
        long before = queue.heldBytes();
        queue.add(in, count);
        WholeBodies whole = x.plan.whole();
        if (queue.bytes() > (toNode ? x.request.boundBytes(whole) : whole.responseBoundBytes())) {
            return false;
        }
        memory.received(x, queue.heldBytes() - before);
        return true;
    }

    /** Shows the next bytes to plugins and writes them. Whether the exchange goes on; if not, {@code in} is where it was. */
    boolean pass(HttpExchange x, BodySink to, ByteBuf in, int count) {
        Tunnel tunnel = x.tunnel;
        if (tunnel != null) {
            // No plugin knows the protocol.
            sentBytes += tunnel.pass(toNode, to, in, count);
            return true;
        }
        if (!show(x, in, count)) {
            return false;
        }
        if (kept != null) {
            kept.add(in, count);
        }
        sentBytes += count;
        to.content(in, count);
        return true;
    }

    /** Shows plugins what they haven't seen yet: of a body that goes on once more they have seen the beginning. */
    private boolean show(HttpExchange x, ByteBuf in, int count) {
        int seen = (int) Math.min(count, shownBytes - sentBytes);
        if (seen == count && count > 0) {
            return true;
        }
        shownBytes = sentBytes + count;
        PluginRunner plugins = x.proxy.plugins;
        return toNode
                ? plugins.requestChunk(x, in, in.readerIndex() + seen, count - seen)
                : plugins.responseChunk(x, in, in.readerIndex() + seen, count - seen);
    }

    /** Writes what waits, as long as the other side takes it; the rest stays queued. Whether the exchange goes on. */
    boolean drain(HttpExchange x, BodySink to) {
        draining = true;
        ByteBuf part = queue.poll();
        while (part != null) {
            boolean goesOn;
            try {
                goesOn = pass(x, to, part, part.readableBytes());
            } finally {
                part.release();
            }
            if (!goesOn) {
                return false;
            }
            if (!to.isWritable()) {
                to.flush();
            }
            part = to.isWritable() ? queue.poll() : null;
        }
        draining = false;
        return true;
    }

    /**
     * Writes what was kept to another node, too, as long as that takes it.
     *
     * @param from what has been written there before
     * @return what has now
     */
    int sendKept(BodySink to, int from) {
        return kept == null ? from : kept.writeTo(to, from);
    }

    /** Whether what waits is being written: who is told within a flush that more is taken has nothing to do. */
    boolean isDraining() {
        return draining;
    }

    /** That many bytes have gone to the other side in another way. */
    void sent(long bytes) {
        sentBytes = bytes;
    }

    /** What has gone to the other side. */
    long sentBytes() {
        return sentBytes;
    }
}
