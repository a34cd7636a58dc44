package net.oooops.sigma.plugins.compression.coding;

/**
 * How deflate packs: the parameters of zlib's {@code deflateInit2}.
 *
 * @param level 1, which is fast, to 9, which is small
 * @param windowBits how far back it looks, as a power of 2, from {@value #WINDOW_BITS_MIN} to {@value #WINDOW_BITS}
 * @param memLevel how much memory it takes to find what it has seen before, from 1 to {@value #MEM_LEVEL_MAX}
 */
public record DeflateParameters(int level, int windowBits, int memLevel) {
    /** The smallest window of raw deflate that zlib has. */
    public static final int WINDOW_BITS_MIN = 9;

    /** The usual window, which is the largest, and the only one of the JDK's. */
    public static final int WINDOW_BITS = 15;

    /** The usual memory, and the only one of the JDK's. */
    public static final int MEM_LEVEL = 8;

    /** As much memory as there may be. */
    public static final int MEM_LEVEL_MAX = 9;

    /** With the usual window and memory. */
    public static DeflateParameters ofLevel(int level) {
        return new DeflateParameters(level, WINDOW_BITS, MEM_LEVEL);
    }
}
