package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coders;
import org.jspecify.annotations.Nullable;

/** A request's body, unpacked from one coding. Several follow each other where it was packed several times. */
final class UnpackedBody implements BodyTransform {
    private final Coders coders;
    private final Unpacking bounds;
    private @Nullable CodedBody body;
    private long madeBytes;

    UnpackedBody(Coders coders, Unpacking bounds) {
        this.coders = coders;
        this.bounds = bounds;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        bounds.received(this, chunk.remaining());
        CodedBody now = body;
        if (now == null) {
            now = new CodedBody(coders.take());
            body = now;
        }
        made(now.go(chunk, Coder.Until.READ, out));
    }

    private void made(int bytes) throws RefusedBodyException {
        madeBytes += bytes;
        bounds.check(madeBytes);
    }

    @Override
    public boolean hasMore() {
        return body != null && body.hasMore();
    }

    @Override
    public void more(BodyOutput out) throws RefusedBodyException {
        if (body != null) {
            made(body.more(out));
        }
    }

    /** Nothing at all is nothing in any coding. */
    @Override
    public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
        if (body != null) {
            made(body.go(CodedBody.NOTHING, Coder.Until.FINISHED, out));
        }
    }

    @Override
    public void close() {
        CodedBody now = body;
        body = null;
        if (now != null) {
            coders.give(now.taken());
        }
        bounds.closed(this);
    }
}
