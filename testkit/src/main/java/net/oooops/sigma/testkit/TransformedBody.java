package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;

/** What transforms make of a body: kept, and shown to the next one. For one thread at a time. */
final class TransformedBody implements BodyOutput {
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
            }
        } finally {
            transforms.forEach(BodyTransform::close);
        }
        return all.written.toByteArray();
    }

    private static byte[] through(List<BodyTransform> transforms, int from, byte[] part) throws Exception {
        byte[] now = part;
        for (int i = from; i < transforms.size() && now.length > 0; i++) {
            TransformedBody next = new TransformedBody();
            transforms.get(i).chunk(ByteBuffer.wrap(now).asReadOnlyBuffer(), next);
            now = next.written.toByteArray();
        }
        return now;
    }

    private void write(byte[] bytes) {
        written.writeBytes(bytes);
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
