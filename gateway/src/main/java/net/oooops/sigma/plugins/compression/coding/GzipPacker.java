package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Packs as gzip (RFC 1952). */
final class GzipPacker implements Coder {
    /** Magic, deflate, no flags, no time, no hint, an unknown system. */
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 255};

    private static final int TRAILER_BYTES = 8;

    private final Deflater deflater;
    private final CRC32 crc = new CRC32();
    private boolean headed;
    private boolean ended;

    GzipPacker(int level) {
        this.deflater = new Deflater(level, true);
    }

    @Override
    public void reset() {
        if (headed) {
            deflater.reset();
            crc.reset();
            headed = false;
            ended = false;
        }
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
        if (!headed) {
            out.put(HEADER);
            headed = true;
        }
        int from = in.position();
        deflater.setInput(in);
        if (until == Until.FINISHED) {
            deflater.finish();
        }
        deflater.deflate(out, until == Until.FLUSHED ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH);
        count(in, from);
        return switch (until) {
            case READ -> !in.hasRemaining() && out.hasRemaining();
            case FLUSHED -> out.hasRemaining();
            case FINISHED -> deflater.finished() && isTrailed(out);
        };
    }

    private void count(ByteBuffer in, int from) {
        int limit = in.limit();
        in.limit(in.position()).position(from);
        crc.update(in);
        in.limit(limit);
    }

    private boolean isTrailed(ByteBuffer out) {
        if (!ended && out.remaining() >= TRAILER_BYTES) {
            int32(out, (int) crc.getValue());
            int32(out, (int) deflater.getBytesRead());
            ended = true;
        }
        return ended;
    }

    private static void int32(ByteBuffer out, int value) {
        out.putInt(Integer.reverseBytes(value));
    }

    @Override
    public void close() {
        deflater.end();
    }
}
