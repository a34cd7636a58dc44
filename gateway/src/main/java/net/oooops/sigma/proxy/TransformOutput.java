package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a transform writes in one call. */
final class TransformOutput extends CallOutput {
    private final int bytesMax;
    private @Nullable ByteBufAllocator alloc;

    /** @param bytesMax what may be written in one call */
    TransformOutput(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Another call begins. */
    TransformOutput begin(ByteBufAllocator with) {
        alloc = with;
        return this;
    }

    @Override
    int bytesMax() {
        return bytesMax;
    }

    @Override
    void requireCall() {
        if (alloc == null) {
            throw new IllegalStateException("written when the call was over (expected: within it)");
        }
    }

    @Override
    ByteBuf buffer(int bytes) {
        return Objects.requireNonNull(alloc).buffer(bytes);
    }

    @Override
    String tooMany(long bytes) {
        return "a transform wrote " + bytes + " bytes in one call (expected: <= " + bytesMax
                + ", limits.buffered-body)";
    }

    @Override
    void end() {
        alloc = null;
    }
}
