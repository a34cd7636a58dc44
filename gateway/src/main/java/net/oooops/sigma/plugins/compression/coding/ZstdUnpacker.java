package net.oooops.sigma.plugins.compression.coding;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/** Unpacks zstd (RFC 8878), of one frame or several, with windows as large as HTTP allows (RFC 9659). */
final class ZstdUnpacker implements Coder {
    private static final String CODING = "zstd";

    /** A context keeps its window for the next body. One with a larger window is given up, as nobody counts what spare ones hold. */
    private static final long SPARE_WINDOW_BYTES_MAX = 1L << 20;

    private @Nullable ZstdDecompressCtx context;
    private final ZstdFrame frame = new ZstdFrame();
    private final SmallParts smallFrames = new SmallParts(CODING);
    /** What has become of the present frame so far. */
    private long madeBytes;

    private boolean begun;
    /** Whether a frame has begun and isn't complete. */
    private boolean within;

    @Override
    public void reset() {
        if (begun) {
            if (frame.windowBytes() > SPARE_WINDOW_BYTES_MAX) {
                close();
            } else if (context != null) {
                context.reset();
            }
            frame.reset();
            smallFrames.reset();
            madeBytes = 0;
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
            madeBytes += out.position() - written;
            if (complete && (moved || before)) {
                smallFrames.ended(madeBytes);
                madeBytes = 0;
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

    private ZstdDecompressCtx context() {
        ZstdDecompressCtx now = context;
        if (now == null) {
            now = new ZstdDecompressCtx();
            context = now;
        }
        return now;
    }

    private boolean unpack(ByteBuffer part, ByteBuffer out) throws RefusedBodyException {
        try {
            return context().decompressDirectByteBufferStream(out, part);
        } catch (ZstdException e) {
            throw CodingFaults.garbage(CODING, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        ZstdDecompressCtx now = context;
        context = null;
        if (now != null) {
            now.close();
        }
    }
}
