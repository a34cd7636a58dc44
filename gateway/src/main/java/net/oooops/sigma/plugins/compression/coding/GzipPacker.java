package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import net.oooops.sigma.api.RefusedBodyException;

/** Packs as gzip (RFC 1952): deflate between a header and a trailer. The JDK's checksum is the fast one. */
final class GzipPacker implements Coder {
    /** Magic, deflate, no flags, no time, no hint, an unknown system. */
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 255};

    private static final int TRAILER_BYTES = 8;

    private final Coder deflate;
    private final CRC32 crc = new CRC32();
    /** Modulo 2^32, as in the trailer. */
    private int bytesRead;

    private boolean headed;
    private boolean deflated;
    private boolean ended;

    /** @param deflate raw */
    GzipPacker(Coder deflate) {
        this.deflate = deflate;
    }

    @Override
    public void reset() {
        if (headed) {
            deflate.reset();
            crc.reset();
            bytesRead = 0;
            headed = false;
            deflated = false;
            ended = false;
        }
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException {
        if (!headed) {
            out.put(HEADER);
            headed = true;
        }
        if (deflated) {
            return isTrailed(out);
        }
        int from = in.position();
        boolean done = deflate.step(in, out, until);
        count(in, from);
        deflated = done && until == Until.FINISHED;
        return deflated ? isTrailed(out) : done;
    }

    private void count(ByteBuffer in, int from) {
        int limit = in.limit();
        bytesRead += in.position() - from;
        in.limit(in.position()).position(from);
        crc.update(in);
        in.limit(limit);
    }

    private boolean isTrailed(ByteBuffer out) {
        if (!ended && out.remaining() >= TRAILER_BYTES) {
            int32(out, (int) crc.getValue());
            int32(out, bytesRead);
            ended = true;
        }
        return ended;
    }

    private static void int32(ByteBuffer out, int value) {
        out.putInt(Integer.reverseBytes(value));
    }

    @Override
    public void close() {
        deflate.close();
    }
}
