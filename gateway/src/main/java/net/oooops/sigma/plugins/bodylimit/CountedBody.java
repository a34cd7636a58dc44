package net.oooops.sigma.plugins.bodylimit;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyBound;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RefusedBodyException;

/** Lets a body pass as it is, up to so many bytes. For one body. */
final class CountedBody implements BodyTransform {
    private final long bytesMax;
    private final Reason why;
    private long bytes;

    CountedBody(long bytesMax, Reason why) {
        this.bytesMax = bytesMax;
        this.why = why;
    }

    @Override
    public BodyBound bound() {
        return new BodyBound(bytesMax, why);
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        bytes += chunk.remaining();
        if (bytes > bytesMax) {
            throw tooLarge(bytesMax, why);
        }
        out.write(chunk);
    }

    static RefusedBodyException tooLarge(long bytesMax, Reason why) {
        return RefusedBodyException.tooLarge("body-limit: body larger than " + bytesMax + " bytes")
                .because(why);
    }
}
