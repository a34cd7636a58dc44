package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestOutputStream;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A body of any size that is made as it is sent: the same bytes for the same seed and length, at gigabytes a second, with no more
 * than 64 KiB in memory. No block repeats within a body, so a block that is lost, doubled or out of place changes the SHA-256.
 * Immutable, usable on any thread.
 */
public final class GeneratedBody {
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long seed;
    private final long bytes;
    private volatile @Nullable String sha256;

    private GeneratedBody(long seed, long bytes) {
        this.seed = seed;
        this.bytes = bytes;
    }

    /**
     * A body of so many bytes.
     *
     * @throws IllegalArgumentException when the length is negative
     */
    public static GeneratedBody of(long seed, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        return new GeneratedBody(seed, bytes);
    }

    /** Its length. */
    public long bytes() {
        return bytes;
    }

    /** Its SHA-256 in lower-case hex. Goes through the whole body at the first call, and remembers. */
    public String sha256() {
        String known = sha256;
        if (known == null) {
            var digest = Wire.sha256();
            try {
                writeTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            known = Wire.hex(digest);
            sha256 = known;
        }
        return known;
    }

    /** Writes the whole body, in blocks of up to 64 KiB. */
    public void writeTo(OutputStream out) throws IOException {
        byte[] block = firstBlock();
        long left = bytes;
        for (long index = 0; left > 0; index++) {
            stamp(block, index);
            int length = (int) Math.min(left, BLOCK_BYTES);
            out.write(block, 0, length);
            left -= length;
        }
    }

    /**
     * The whole body in memory, for small ones.
     *
     * @throws IllegalStateException when it is longer than an array can be
     */
    public byte[] toBytes() {
        if (bytes > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException("bytes: " + bytes + " (expected: <= " + (Integer.MAX_VALUE - 8) + ")");
        }
        var out = new ByteArrayOutputStream((int) bytes);
        try {
            writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** The body as a stream of its own, at its begin. */
    public InputStream stream() {
        return new BlockStream();
    }

    private byte[] firstBlock() {
        byte[] block = new byte[BLOCK_BYTES];
        new SplittableRandom(seed).nextBytes(block);
        return block;
    }

    /** Makes a block differ from every other one of this body, by its place. */
    private void stamp(byte[] block, long index) {
        LONGS.set(block, 0, ((index + 1) * 0x9E3779B97F4A7C15L) ^ seed);
    }

    private final class BlockStream extends InputStream {
        private final byte[] block = firstBlock();
        private long position;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) {
                return 0;
            }
            if (position == bytes) {
                return -1;
            }
            int within = (int) (position % BLOCK_BYTES);
            if (within == 0) {
                stamp(block, position / BLOCK_BYTES);
            }
            int count = (int) Math.min(Math.min(length, BLOCK_BYTES - within), bytes - position);
            System.arraycopy(block, within, into, offset, count);
            position += count;
            return count;
        }
    }
}
