package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;

/** What transforms make of a body: kept, and shown to the next one. For one thread at a time. */
final class TransformedBody implements BodyOutput {
    /** What one call may write: {@code limits.buffered-body} where nothing is said. */
    private static final int CALL_BYTES_MAX = 1 << 20;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private TransformedBody() {}

    /** Has a body pass them, and closes them. */
    static byte[] pass(List<BodyTransform> transforms, TestTrailers trailers, byte[]... parts) throws Exception {
        TransformedBody all = new TransformedBody();
        try {
            for (byte[] part : parts) {
                all.write(through(transforms, 0, part));
            }
            for (int i = 0; i < transforms.size(); i++) {
                TransformedBody last = new TransformedBody();
                transforms.get(i).end(trailers, last);
                all.write(through(transforms, i + 1, last.written.toByteArray()));
                all.more(transforms, i);
            }
        } finally {
            transforms.forEach(BodyTransform::close);
        }
        return all.written.toByteArray();
    }

    private static byte[] through(List<BodyTransform> transforms, int from, byte[] part) throws Exception {
        if (from == transforms.size() || part.length == 0) {
            return part;
        }
        TransformedBody all = new TransformedBody();
        TransformedBody next = new TransformedBody();
        transforms.get(from).chunk(ByteBuffer.wrap(part).asReadOnlyBuffer(), next);
        all.write(through(transforms, from + 1, next.written.toByteArray()));
        all.more(transforms, from);
        return all.written.toByteArray();
    }

    /** Adds what one of them has more, as it passes the next ones. */
    private void more(List<BodyTransform> transforms, int index) throws Exception {
        while (transforms.get(index).hasMore()) {
            TransformedBody next = new TransformedBody();
            transforms.get(index).more(next);
            write(through(transforms, index + 1, next.written.toByteArray()));
        }
    }

    private void write(byte[] bytes) {
        written.writeBytes(bytes);
    }

    @Override
    public int room() {
        return CALL_BYTES_MAX - written.size();
    }

    @Override
    public void write(int b) {
        written.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        written.write(bytes, from, count);
    }

    @Override
    public void write(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            written.write(bytes.get());
        }
    }
}
