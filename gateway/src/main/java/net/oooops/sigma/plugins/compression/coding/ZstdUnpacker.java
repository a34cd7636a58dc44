package net.oooops.sigma.plugins.compression.coding;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.RefusedBodyException;

/** Unpacks zstd (RFC 8878), of one frame or several, with windows as large as HTTP allows (RFC 9659). */
final class ZstdUnpacker implements Coder {
    private static final String CODING = "zstd";

    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final ZstdFrame frame = new ZstdFrame();
    private boolean begun;
    /** Whether a frame has begun and isn't complete. */
    private boolean within;

    @Override
    public void reset() {
        if (begun) {
            context.reset();
            frame.begin();
            begun = false;
            within = false;
        }
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException {
        begun = true;
        while (true) {
            ByteBuffer part = Direct.of(in);
            frame.look(part);
            int from = part.position();
            boolean before = part.hasRemaining();
            int written = out.position();
            boolean complete = unpack(part, out);
            boolean moved = part.position() > from || out.position() > written;
            Direct.read(in, part, from);
            if (complete && (moved || before)) {
                frame.begin();
                within = false;
            } else {
                within |= moved;
            }
            if (!out.hasRemaining()) {
                return false;
            }
            if (!in.hasRemaining()) {
                if (until == Until.FINISHED && (within || frame.isBegun())) {
                    throw CodingFaults.truncated(CODING);
                }
                return true;
            }
        }
    }

    private boolean unpack(ByteBuffer part, ByteBuffer out) throws RefusedBodyException {
        try {
            return context.decompressDirectByteBufferStream(out, part);
        } catch (ZstdException e) {
            throw CodingFaults.garbage(CODING, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
