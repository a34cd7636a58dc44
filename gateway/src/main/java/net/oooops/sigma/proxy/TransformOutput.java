package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import org.jspecify.annotations.Nullable;

/** What a transform writes in one call: a buffer that is made with the first byte. Belongs to one exchange. */
final class TransformOutput implements BodyOutput {
    private final int bytesMax;
    private @Nullable ByteBufAllocator alloc;
    private @Nullable ByteBuf written;

    /** @param bytesMax what may be written in one call */
    TransformOutput(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    int bytesMax() {
        return bytesMax;
    }

    /** Another call begins. */
    TransformOutput begin(ByteBufAllocator with) {
        alloc = with;
        return this;
    }

    /** The call has returned: what was written is the caller's. */
    ByteBuf take() {
        ByteBuf all = written;
        written = null;
        alloc = null;
        return all == null ? Unpooled.EMPTY_BUFFER : all;
    }

    private ByteBuf room(int count) {
        ByteBufAllocator with = alloc;
        if (with == null) {
            throw new IllegalStateException("written when the call was over (expected: within it)");
        }
        ByteBuf to = written;
        int before = to == null ? 0 : to.readableBytes();
        if (count > bytesMax - before) {
            throw new IllegalStateException("a transform wrote " + ((long) before + count)
                    + " bytes in one call (expected: <= " + bytesMax + ", limits.buffered-body)");
        }
        if (to == null) {
            to = with.buffer(count);
            written = to;
        }
        return to;
    }

    @Override
    public int room() {
        ByteBuf to = written;
        return to == null ? bytesMax : bytesMax - to.readableBytes();
    }

    @Override
    public void write(int b) {
        room(1).writeByte(b);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        if (count > 0) {
            room(count).writeBytes(bytes, from, count);
        }
    }

    @Override
    public void write(ByteBuffer bytes) {
        if (bytes.hasRemaining()) {
            room(bytes.remaining()).writeBytes(bytes);
        }
    }
}
