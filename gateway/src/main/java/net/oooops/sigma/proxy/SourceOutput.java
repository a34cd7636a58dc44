package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import net.oooops.sigma.api.StreamBody;

/** What a source of a body writes in one call. */
final class SourceOutput extends CallOutput {
    private final EventLoop loop;
    private int bytesMax;
    private boolean open;

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

    @Override
    int bytesMax() {
        return bytesMax;
    }

    @Override
    void requireCall() {
        if (!loop.inEventLoop() || !open) {
            throw new IllegalStateException(
                    "written outside of next (expected: within it, by the thread that called it)");
        }
    }

    @Override
    ByteBuf buffer(int bytes) {
        return ByteBufAllocator.DEFAULT.directBuffer(bytes);
    }

    @Override
    String tooMany(long bytes) {
        return "a source wrote " + bytes + " bytes in one call (expected: <= " + bytesMax
                + ", the largest part, or what is left of the length that was said)";
    }

    @Override
    void end() {
        open = false;
    }
}
