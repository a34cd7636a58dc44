package net.oooops.sigma.plugins.compression.coding;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the system's zlib (zlib.h) that pack, which costs less than the JDK's, and takes all of zlib's parameters. Loaded when it is first
 * asked for.
 *
 * <p>What a stream's buffers are the caller writes into it, and sees to it that they stay. Any thread.
 */
final class Zlib {
    // Of zlib.h.
    static final int NO_FLUSH = 0;
    static final int SYNC_FLUSH = 2;
    static final int FINISH = 4;
    static final int OK = 0;
    static final int STREAM_END = 1;
    static final int BUF_ERROR = -5;

    // z_stream, where pointers and longs have 64 bits.
    static final long NEXT_IN_AT = 0;
    static final long AVAIL_IN_AT = 8;
    static final long NEXT_OUT_AT = 24;
    static final long AVAIL_OUT_AT = 32;
    static final int STREAM_BYTES = 112;

    private static final int DEFLATED = 8;
    private static final int DEFAULT_STRATEGY = 0;

    private Zlib() {}

    /** Linked once; not at all where something is missing. */
    private static final class Calls {
        private static final ValueLayout INT = ValueLayout.JAVA_INT;
        private static final ValueLayout LONG = ValueLayout.JAVA_LONG;

        @SuppressWarnings("restricted") // It is what this class is for.
        private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(libraryName(), Arena.global());

        /** Of which zlib compares the first digit alone. */
        private static final MemorySegment VERSION = Arena.global().allocateFrom("1");

        static final MethodHandle INIT = linked("deflateInit2_", LONG, INT, INT, INT, INT, INT, LONG, INT);
        static final MethodHandle DEFLATE = linked("deflate", LONG, INT);
        static final MethodHandle RESET = linked("deflateReset", LONG);
        static final MethodHandle END = linked("deflateEnd", LONG);

        @SuppressWarnings("restricted")
        private static MethodHandle linked(String name, MemoryLayout... parameters) {
            return Linker.nativeLinker()
                    .downcallHandle(LIBRARY.findOrThrow(name), FunctionDescriptor.of(INT, parameters));
        }
    }

    /** Asked once. */
    private static final class Tried {
        static final @Nullable String WHY_NOT = whyNot();

        private static @Nullable String whyNot() {
            try {
                ZlibTrial.pass();
                return null;
            } catch (IllegalStateException e) {
                return libraryName() + ": " + e.getMessage();
            } catch (LinkageError e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                return libraryName() + ": " + cause.getMessage();
            }
        }
    }

    private static String libraryName() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        return system.startsWith("mac") ? "/usr/lib/libz.1.dylib" : "libz.so.1";
    }

    /** Why it can't be used here; null where it can. May take a tenth of a second the first time. */
    static @Nullable String whyNot() {
        return Tried.WHY_NOT;
    }

    /**
     * {@code deflateInit2}: what the stream holds from now on is given back by {@link #end}.
     *
     * @param stream where {@value #STREAM_BYTES} bytes of 0 are
     * @param windowBits less than 0 for raw deflate
     * @throws IllegalStateException where there is no memory, or the library is of another kind
     */
    static void init(MemorySegment stream, int level, int windowBits, int memLevel) {
        int result;
        try {
            result = (int) Calls.INIT.invokeExact(
                    stream.address(),
                    level,
                    DEFLATED,
                    windowBits,
                    memLevel,
                    DEFAULT_STRATEGY,
                    Calls.VERSION.address(),
                    STREAM_BYTES);
        } catch (Throwable e) {
            throw failed("deflateInit2_", e);
        } finally {
            Reference.reachabilityFence(stream);
        }
        if (result != OK) {
            throw failed("deflateInit2_", result);
        }
    }

    /**
     * {@code deflate}: reads and writes as far as both can be.
     *
     * @return {@link #OK}, {@link #STREAM_END}, or {@link #BUF_ERROR}, which says that there was nothing to do
     * @throws IllegalStateException where the stream isn't one
     */
    static int deflate(MemorySegment stream, int flush) {
        int result;
        try {
            result = (int) Calls.DEFLATE.invokeExact(stream.address(), flush);
        } catch (Throwable e) {
            throw failed("deflate", e);
        } finally {
            Reference.reachabilityFence(stream);
        }
        if (result != OK && result != STREAM_END && result != BUF_ERROR) {
            throw failed("deflate", result);
        }
        return result;
    }

    /** {@code deflateReset}: ready for another body, with the same memory. */
    static void reset(MemorySegment stream) {
        int result;
        try {
            result = (int) Calls.RESET.invokeExact(stream.address());
        } catch (Throwable e) {
            throw failed("deflateReset", e);
        } finally {
            Reference.reachabilityFence(stream);
        }
        if (result != OK) {
            throw failed("deflateReset", result);
        }
    }

    /** {@code deflateEnd}: gives back what the stream holds. Of one that has ended nothing becomes. */
    static void end(MemorySegment stream) {
        try {
            int _ = (int) Calls.END.invokeExact(stream.address());
        } catch (Throwable e) {
            throw failed("deflateEnd", e);
        } finally {
            Reference.reachabilityFence(stream);
        }
    }

    private static IllegalStateException failed(String call, int result) {
        return new IllegalStateException(call + " gave " + result);
    }

    /** An error of the machine stays one. */
    private static IllegalStateException failed(String call, Throwable why) {
        if (why instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(call, why);
    }
}
