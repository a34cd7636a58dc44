package net.oooops.sigma.plugins.compression.coding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Raw deflate (RFC 1951) by the system's zlib. What zlib holds for it, some 0.3 MiB, is given back when it is closed, and not by the collector.
 * Direct buffers are read and written where they are.
 */
final class ZlibDeflate implements Coder {
    /** A {@code z_stream}; zlib keeps its address. */
    private final MemorySegment stream = Arena.ofAuto().allocate(Zlib.STREAM_BYTES, Long.BYTES);

    ZlibDeflate(DeflateParameters parameters) {
        Zlib.init(stream, parameters.level(), -parameters.windowBits(), parameters.memLevel());
    }

    @Override
    public void reset() {
        Zlib.reset(stream);
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) {
        while (true) {
            ByteBuffer part = Direct.of(in);
            boolean isLast = part.remaining() == in.remaining();
            int from = part.position();
            int result = deflate(part, out, isLast ? flush(until) : Zlib.NO_FLUSH);
            Direct.read(in, part, from);
            if (until == Until.FINISHED && result == Zlib.STREAM_END) {
                return true;
            }
            if (!out.hasRemaining()) {
                return false;
            }
            if (isLast) {
                return isSo(until);
            }
        }
    }

    private static int flush(Until until) {
        return switch (until) {
            case READ -> Zlib.NO_FLUSH;
            case FLUSHED -> Zlib.SYNC_FLUSH;
            case FINISHED -> Zlib.FINISH;
        };
    }

    /** Where there was room left, zlib has read all, and flushed what it should. */
    private static boolean isSo(Until until) {
        if (until == Until.FINISHED) {
            throw new IllegalStateException("deflate didn't finish, though it had room");
        }
        return true;
    }

    private int deflate(ByteBuffer in, ByteBuffer out, int flush) {
        try {
            stream.set(ValueLayout.JAVA_LONG, Zlib.NEXT_IN_AT, address(in));
            stream.set(ValueLayout.JAVA_INT, Zlib.AVAIL_IN_AT, in.remaining());
            stream.set(ValueLayout.JAVA_LONG, Zlib.NEXT_OUT_AT, address(out));
            stream.set(ValueLayout.JAVA_INT, Zlib.AVAIL_OUT_AT, out.remaining());
            int result = Zlib.deflate(stream, flush);
            in.position(in.limit() - stream.get(ValueLayout.JAVA_INT, Zlib.AVAIL_IN_AT));
            out.position(out.limit() - stream.get(ValueLayout.JAVA_INT, Zlib.AVAIL_OUT_AT));
            return result;
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }

    /** Of its position. */
    private static long address(ByteBuffer direct) {
        return MemorySegment.ofBuffer(direct).address();
    }

    @Override
    public void close() {
        Zlib.end(stream);
    }
}
