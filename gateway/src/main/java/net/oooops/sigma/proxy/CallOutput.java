package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import org.jspecify.annotations.Nullable;

/** What is written of a body in one call: a buffer that is made with the first byte. Belongs to one exchange. */
abstract sealed class CallOutput implements BodyOutput permits SourceOutput, TransformOutput {
    private @Nullable ByteBuf written;

    /** What the present call may write. */
    abstract int bytesMax();

    /** @throws IllegalStateException where nothing may be written now */
    abstract void requireCall();

    /** A buffer for so many bytes. */
    abstract ByteBuf buffer(int bytes);

    /** What is said of a call that would write so many. */
    abstract String tooMany(long bytes);

    /** Nothing may be written before the next call. */
    abstract void end();

    /** The call has returned: what was written is the caller's. */
    final ByteBuf take() {
        ByteBuf all = written;
        written = null;
        end();
        return all == null ? Unpooled.EMPTY_BUFFER : all;
    }

    /** How much was written in this call. */
    final int bytes() {
        ByteBuf to = written;
        return to == null ? 0 : to.readableBytes();
    }

    private ByteBuf room(int count) {
        requireCall();
        int before = bytes();
        if (count > bytesMax() - before) {
            throw new IllegalStateException(tooMany((long) before + count));
        }
        ByteBuf to = written;
        if (to == null) {
            to = buffer(count);
            written = to;
        }
        return to;
    }

    @Override
    public final int room() {
        return bytesMax() - bytes();
    }

    @Override
    public final void write(int b) {
        room(1).writeByte(b);
    }

    @Override
    public final void write(byte[] bytes, int from, int count) {
        if (count > 0) {
            room(count).writeBytes(bytes, from, count);
        }
    }

    @Override
    public final void write(ByteBuffer bytes) {
        if (bytes.hasRemaining()) {
            room(bytes.remaining()).writeBytes(bytes);
        }
    }
}
