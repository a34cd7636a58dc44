package net.oooops.sigma.plugins.compression;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/**
 * A request's body that is only tried: its beginning is unpacked as it passes, and what comes of that is thrown away. What is found in it, such as another
 * coding than it says, is certain; a body that is longer isn't looked at any further, as that costs what unpacking costs.
 */
final class TriedBody implements BodyOutput {
    /** So much of what becomes of it is looked at. */
    static final int BYTES_MAX = 64 * 1024;

    private @Nullable UnpackedBody body;
    private final Runnable leave;
    private int bytes;

    /** @param leave gives back its place among those that would be unpacked */
    TriedBody(UnpackedBody body, Runnable leave) {
        this.body = body;
        this.leave = leave;
    }

    /** Takes the next bytes; gives why the body is refused, once. */
    @Nullable RefusedBodyException chunk(ByteBuffer chunk) {
        return step(by -> by.chunk(chunk, this));
    }

    /** The body is complete. */
    @Nullable RefusedBodyException end() {
        return step(by -> by.end(this));
    }

    private interface Step {
        void of(UnpackedBody body) throws RefusedBodyException;
    }

    /** Whatever is thrown, nothing comes behind it. */
    private @Nullable RefusedBodyException step(Step step) {
        UnpackedBody by = body;
        if (by == null) {
            return null;
        }
        boolean goesOn = false;
        try {
            step.of(by);
            while (by.hasMore() && bytes < BYTES_MAX) {
                by.more(this);
            }
            goesOn = bytes < BYTES_MAX;
            return null;
        } catch (RefusedBodyException e) {
            return e;
        } finally {
            if (!goesOn) {
                close();
            }
        }
    }

    /** Its exchange is over. Called once. */
    void over() {
        close();
        leave.run();
    }

    /** Gives back what it looks at the body with. */
    private void close() {
        UnpackedBody now = body;
        body = null;
        if (now != null) {
            now.close();
        }
    }

    @Override
    public void write(int b) {
        bytes++;
    }

    @Override
    public void write(byte[] from, int start, int count) {
        bytes += count;
    }

    @Override
    public void write(ByteBuffer from) {
        bytes += from.remaining();
        from.position(from.limit());
    }

    @Override
    public int room() {
        return BYTES_MAX;
    }
}
