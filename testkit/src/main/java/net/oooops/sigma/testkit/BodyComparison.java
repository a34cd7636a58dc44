package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Compares a body with the one that is expected, as it comes. For the thread that reads the connection. */
final class BodyComparison {
    private static final int PART_BYTES = 16 * 1024;

    private final InputStream expected;
    private final long expectedBytes;
    private final byte[] part = new byte[PART_BYTES];
    private long bytes;
    private long differsAt = -1;

    BodyComparison(GeneratedBody body) {
        expected = body.stream();
        expectedBytes = body.bytes();
    }

    /** Takes the next bytes. */
    void accept(byte[] from, int offset, int length) throws IOException {
        int at = offset;
        int end = offset + length;
        while (at < end && differsAt < 0) {
            int count = expected.readNBytes(part, 0, Math.min(PART_BYTES, end - at));
            int differs = Arrays.mismatch(from, at, at + count, part, 0, count);
            if (count == 0 || differs >= 0) {
                differsAt = bytes + at - offset + Math.max(0, differs);
            }
            at += count;
        }
        bytes += length;
    }

    /** The first byte that isn't as expected, or is missing, or is beyond; -1 where there is none. */
    long mismatch() {
        return differsAt >= 0 || bytes == expectedBytes ? differsAt : bytes;
    }
}
