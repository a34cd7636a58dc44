package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.StreamBody;
import org.jspecify.annotations.Nullable;

/** What a source of a body writes in one call: a buffer that is made with the first byte. Belongs to one exchange. */
final class SourceOutput implements BodyOutput {
    private final EventLoop loop;
    private int bytesMax;
    private boolean open;
    private @Nullable ByteBuf written;

    /** @param loop that alone may write */
    SourceOutput(EventLoop loop) {
        this.loop = loop;
    }

    /** Another call begins, of a body of which so much is left. */
    SourceOutput begin(long leftBytes) {
        bytesMax = (int) Math.min(StreamBody.PART_BYTES_MAX, leftBytes);
        open = true;
        return this;
    }

    /** The call has returned: what was written is the caller's. */
    ByteBuf take() {
        ByteBuf all = written;
        written = null;
        open = false;
        return all == null ? Unpooled.EMPTY_BUFFER : all;
    }

    /** How much was written in this call. */
    int bytes() {
        ByteBuf to = written;
        return to == null ? 0 : to.readableBytes();
    }

    private ByteBuf room(int count) {
        if (!loop.inEventLoop() || !open) {
            throw new IllegalStateException(
                    "written outside of next (expected: within it, by the thread that called it)");
        }
        ByteBuf to = written;
        int before = to == null ? 0 : to.readableBytes();
        if (count > bytesMax - before) {
            throw new IllegalStateException(
                    "a source wrote " + ((long) before + count) + " bytes in one call (expected: <= " + bytesMax
                            + ", the largest part, or what is left of the length that was said)");
        }
        if (to == null) {
            to = ByteBufAllocator.DEFAULT.directBuffer(count);
            written = to;
        }
        return to;
    }

    @Override
    public int room() {
        return bytesMax - bytes();
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
