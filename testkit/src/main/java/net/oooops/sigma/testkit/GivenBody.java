package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.StreamBody;

/** What a plugin's source gives: asked until its end, as a gateway would for a client that takes all. For one thread at a time. */
final class GivenBody implements BodyOutput {
    /** How long a source may have nothing, in seconds. */
    private static final int QUIET_SECONDS_MAX = 10;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final long bytesMax;
    private int callBegan;

    private GivenBody(StreamBody body) {
        this.bytesMax = body.bytes() < 0 ? Long.MAX_VALUE : body.bytes();
    }

    /**
     * All of it; the source is closed then.
     *
     * @param wanted false for HEAD: then it isn't asked
     * @throws IllegalStateException where it doesn't keep to its contract
     * @throws Exception as the source threw it
     */
    static byte[] of(StreamBody body, boolean wanted) throws Exception {
        if (!body.take()) {
            throw new IllegalStateException("a stream that was answered with before (expected: one for each exchange)");
        }
        GivenBody given = new GivenBody(body);
        try {
            if (wanted) {
                given.ask(body.source());
            }
        } finally {
            body.close(null);
        }
        return given.written.toByteArray();
    }

    private void ask(BodySource source) throws Exception {
        Semaphore more = new Semaphore(0);
        source.begin(more::release);
        while (written.size() < bytesMax) {
            callBegan = written.size();
            BodySource.Next next = source.next(this);
            boolean empty = written.size() == callBegan;
            if (next == BodySource.Next.END) {
                end(source);
                return;
            }
            if (next == BodySource.Next.MORE && empty) {
                throw new IllegalStateException("a source has more, and wrote nothing (expected: at least a byte)");
            }
            if (next == BodySource.Next.LATER && !more.tryAcquire(QUIET_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "no more after " + QUIET_SECONDS_MAX + " s (expected: more, or its end)");
            }
        }
    }

    private void end(BodySource source) throws Exception {
        if (bytesMax == Long.MAX_VALUE) {
            source.trailers(new TestTrailers());
        } else if (written.size() < bytesMax) {
            throw new IllegalStateException("a source of " + written.size() + " bytes (expected: " + bytesMax + ")");
        }
    }

    private void require(int count) {
        if (count > room()) {
            throw new IllegalStateException("a source wrote " + count + " bytes more (expected: <= " + room() + ")");
        }
    }

    @Override
    public int room() {
        int ofCall = StreamBody.PART_BYTES_MAX - (written.size() - callBegan);
        return (int) Math.min(ofCall, bytesMax - written.size());
    }

    @Override
    public void write(int b) {
        require(1);
        written.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        require(count);
        written.write(bytes, from, count);
    }

    @Override
    public void write(ByteBuffer bytes) {
        require(bytes.remaining());
        while (bytes.hasRemaining()) {
            written.write(bytes.get());
        }
    }
}
