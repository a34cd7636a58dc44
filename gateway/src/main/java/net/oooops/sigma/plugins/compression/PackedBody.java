package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import org.jspecify.annotations.Nullable;

/** An answer's body, packed. One that fails isn't complete in its coding either, so that its client sees it cut. */
final class PackedBody implements BodyTransform {
    private final Packing packing;
    /** Whether what came is to be seen by the client before more comes. */
    private final boolean flushes;

    private @Nullable CodedBody body;
    private boolean unflushed;

    /** Counted in {@code packing.bodies()} before, and until it is closed. */
    PackedBody(Packing packing, boolean flushes) {
        this.packing = packing;
        this.flushes = flushes;
    }

    private CodedBody body() {
        CodedBody now = body;
        if (now == null) {
            now = new CodedBody(packing.coders().take());
            body = now;
        }
        return now;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        unflushed = true;
        body().go(chunk, Coder.Until.READ, out);
    }

    @Override
    public boolean hasMore() {
        return body != null && body.hasMore();
    }

    @Override
    public void more(BodyOutput out) throws RefusedBodyException {
        body().more(out);
    }

    @Override
    public void pause(BodyOutput out) throws RefusedBodyException {
        if (flushes && unflushed) {
            unflushed = false;
            body().go(CodedBody.NOTHING, Coder.Until.FLUSHED, out);
        }
    }

    @Override
    public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
        body().go(CodedBody.NOTHING, Coder.Until.FINISHED, out);
    }

    @Override
    public void close() {
        CodedBody now = body;
        body = null;
        if (now != null) {
            packing.coders().give(now.coder());
        }
        packing.bodies().leave();
    }
}
