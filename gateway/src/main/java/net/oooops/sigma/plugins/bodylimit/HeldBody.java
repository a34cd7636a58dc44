package net.oooops.sigma.plugins.bodylimit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RefusedBodyException;

/**
 * Keeps a body back until all of it is there, up to so many bytes, and to what a call may write: so nobody sees a part of one that is too large. For
 * one body.
 */
final class HeldBody implements BodyTransform {
    private final long bytesMax;
    private final Reason why;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    HeldBody(long bytesMax, Reason why) {
        this.bytesMax = bytesMax;
        this.why = why;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        long most = Math.min(bytesMax, out.room());
        if (held.size() + (long) chunk.remaining() > most) {
            throw CountedBody.tooLarge(most, why);
        }
        byte[] bytes = new byte[chunk.remaining()];
        chunk.get(bytes);
        held.writeBytes(bytes);
    }

    @Override
    public void end(Head trailers, BodyOutput out) {
        out.write(held.toByteArray(), 0, held.size());
    }
}
