package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.util.zip.Deflater;

/** Raw deflate (RFC 1951) by the JDK, which knows one window and one memory. */
final class JdkDeflate implements Coder {
    private final Deflater deflater;

    JdkDeflate(int level) {
        this.deflater = new Deflater(level, true);
    }

    @Override
    public void reset() {
        deflater.reset();
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
        deflater.setInput(in);
        if (until == Until.FINISHED) {
            deflater.finish();
        }
        deflater.deflate(out, until == Until.FLUSHED ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH);
        return switch (until) {
            case READ -> !in.hasRemaining() && out.hasRemaining();
            case FLUSHED -> out.hasRemaining();
            case FINISHED -> deflater.finished();
        };
    }

    @Override
    public void close() {
        deflater.end();
    }
}
