package net.oooops.sigma.plugins.compression.coding;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import java.nio.ByteBuffer;

/** Packs as zstd (RFC 8878). Its window is small, for memory, and any client takes it (RFC 9659). */
final class ZstdPacker implements Coder {
    private static final int WINDOW_LOG = 18;

    private final int level;
    private final ZstdCompressCtx context = new ZstdCompressCtx();
    private boolean begun;

    ZstdPacker(int level) {
        this.level = level;
        set();
    }

    private void set() {
        context.setLevel(level);
        context.setWindowLog(WINDOW_LOG);
    }

    @Override
    public void reset() {
        if (begun) {
            context.reset();
            set();
            begun = false;
        }
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
        begun = true;
        EndDirective last = switch (until) {
            case READ -> EndDirective.CONTINUE;
            case FLUSHED -> EndDirective.FLUSH;
            case FINISHED -> EndDirective.END;
        };
        while (true) {
            ByteBuffer part = Direct.of(in);
            boolean isLast = part.remaining() == in.remaining();
            int from = part.position();
            boolean done = context.compressDirectByteBufferStream(out, part, isLast ? last : EndDirective.CONTINUE);
            Direct.read(in, part, from);
            if (!out.hasRemaining()) {
                // There may be more, or not: the next step tells.
                return until != Until.READ && isLast && done;
            }
            if (!in.hasRemaining() && (until == Until.READ || (isLast && done))) {
                return true;
            }
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
