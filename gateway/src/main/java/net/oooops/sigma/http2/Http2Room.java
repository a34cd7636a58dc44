package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.memory.HeadMemory;

/**
 * What all connections of a Worker work in, one frame or header block at a time: so that an idle connection holds next to nothing.
 *
 * <p>Called on one event loop only.
 */
public final class Http2Room {
    private static final int BLOCK_BYTES_FIRST = 1024;
    private static final int BLOCK_BYTES_KEPT = 64 << 10;
    /** Of streams that aren't in use, on all connections: one that had many at once, and is idle now, isn't to keep them all. */
    private static final int SPARES_MAX = 1024;

    private final byte[] payload = new byte[Frames.PAYLOAD_BYTES_MAX];
    private final HpackRoom hpack = new HpackRoom();
    private final RequestFields requestFields = new RequestFields();
    private final TrailerFields trailerFields = new TrailerFields();
    private final ResponseFields responseFields = new ResponseFields();
    private final HeadWriter target = new HeadWriter();
    /** How many requests of clients are under way. */
    private int streamCount;

    private int spareCount;

    private final ByteBuf single = Unpooled.buffer(1, 1);
    private ByteBuf block = Unpooled.buffer(BLOCK_BYTES_FIRST);

    private final HeadMemory heads;

    /**
     * Room that nobody works in yet.
     *
     * @param heads what the heads of all requests hold
     */
    public Http2Room(HeadMemory heads) {
        this.heads = heads;
    }

    HeadMemory heads() {
        return heads;
    }

    /** For the payload of one frame. */
    byte[] payload() {
        return payload;
    }

    HpackRoom hpack() {
        return hpack;
    }

    RequestFields requestFields() {
        return requestFields;
    }

    TrailerFields trailerFields() {
        return trailerFields;
    }

    ResponseFields responseFields() {
        return responseFields;
    }

    /** For the target of a request that is about to be written. */
    HeadWriter target() {
        return target;
    }

    int streamCount() {
        return streamCount;
    }

    void streamBegan() {
        streamCount++;
    }

    void streamEnded() {
        streamCount--;
    }

    /** Whether one more stream that isn't in use may be kept, beside the first of its connection; it is then. */
    boolean keepSpare() {
        boolean may = spareCount < SPARES_MAX;
        spareCount += may ? 1 : 0;
        return may;
    }

    /** So many of those are in use again, or gone. */
    void dropSpares(int count) {
        spareCount -= count;
    }

    /** One byte of a body, to be told at once: whoever keeps it copies it. */
    ByteBuf single(byte content) {
        return single.clear().writeByte(content);
    }

    /** For a header block that is about to be written: empty. */
    ByteBuf block() {
        if (block.capacity() > BLOCK_BYTES_KEPT) {
            block = Unpooled.buffer(BLOCK_BYTES_FIRST);
        }
        return block.clear();
    }
}
