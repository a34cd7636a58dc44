package net.oooops.sigma.plugins.bodylimit;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.RefusedBodyException;

/** Lets a body pass as it is, up to so many bytes. For one body. */
final class CountedBody implements BodyTransform {
    private final long bytesMax;
    private long bytes;

    CountedBody(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        bytes += chunk.remaining();
        if (bytes > bytesMax) {
            throw tooLarge(bytesMax);
        }
        out.write(chunk);
    }

    static RefusedBodyException tooLarge(long bytesMax) {
        return RefusedBodyException.tooLarge("body-limit: body larger than " + bytesMax + " bytes");
    }
}
