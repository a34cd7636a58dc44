package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugins.compression.coding.Coder;
import org.jspecify.annotations.Nullable;

/**
 * A request's body, unpacked from one coding. Several follow each other where it was packed several times. Its coder, and its place among those that
 * are unpacked at once, are given back when the body has passed, though the exchange goes on for long after that.
 */
final class UnpackedBody implements BodyTransform {
    private final Decoders decoders;
    private final Unpacking bounds;
    private final boolean outermost;
    private @Nullable CodedBody body;
    private long madeBytes;
    private boolean ended;
    private boolean left;

    /** @param outermost whether it reads what was received */
    UnpackedBody(Decoders decoders, Unpacking bounds, boolean outermost) {
        this.decoders = decoders;
        this.bounds = bounds;
        this.outermost = outermost;
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
        if (outermost) {
            bounds.received(chunk.remaining());
        }
        CodedBody now = body;
        if (now == null) {
            now = new CodedBody(decoders.coders().take());
            body = now;
        }
        CodedBody by = now;
        step(() -> by.go(chunk, Coder.Until.READ, out));
    }

    /** One step of what unpacks it; gives how many bytes it has made. */
    private interface Step {
        int run() throws RefusedBodyException;
    }

    private void step(Step step) throws RefusedBodyException {
        try {
            made(step.run());
        } catch (RefusedBodyException e) {
            throw bounds.because(e);
        }
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
        CodedBody by = body;
        if (by != null) {
            step(() -> by.more(out));
        }
        leaveAtEnd();
    }

    /** Nothing at all is nothing in any coding. */
    @Override
    public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
        end(out);
    }

    /** The same; of what comes behind it there is nothing to see. */
    void end(BodyOutput out) throws RefusedBodyException {
        CodedBody by = body;
        if (by != null) {
            step(() -> by.go(CodedBody.NOTHING, Coder.Until.FINISHED, out));
        }
        ended = true;
        leaveAtEnd();
    }

    private void leaveAtEnd() {
        if (ended && !hasMore()) {
            close();
        }
    }

    /** Gives back what it has, once. */
    @Override
    public void close() {
        CodedBody now = body;
        body = null;
        if (now != null) {
            decoders.coders().give(now.coder());
        }
        if (!left) {
            left = true;
            bounds.leave(decoders);
        }
    }
}
