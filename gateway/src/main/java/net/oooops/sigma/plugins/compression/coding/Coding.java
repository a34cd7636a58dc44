package net.oooops.sigma.plugins.compression.coding;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.github.luben.zstd.util.Native;
import org.jspecify.annotations.Nullable;

/** The content codings that are known, by their names in HTTP. */
public enum Coding {
    /** RFC 1952. */
    GZIP("gzip", 1, 9, 1L << 17),
    /** RFC 1950; for requests only, as clients don't agree on what it is. */
    DEFLATE("deflate", 1, 9, 1L << 17),
    /** RFC 7932. */
    BR("br", 0, 9, 1L << 22),
    /** RFC 8878. */
    ZSTD("zstd", 1, 12, 1L << 23);

    private final String token;
    private final int levelMin;
    private final int levelMax;
    private final long unpackerBytesMax;

    Coding(String token, int levelMin, int levelMax, long unpackerBytesMax) {
        this.token = token;
        this.levelMin = levelMin;
        this.levelMax = levelMax;
        this.unpackerBytesMax = unpackerBytesMax;
    }

    /** The one of that name, in any letter case; null where it is another one. */
    public static @Nullable Coding of(String name) {
        for (Coding coding : values()) {
            if (coding.token.equalsIgnoreCase(name)) {
                return coding;
            }
        }
        return name.equalsIgnoreCase("x-gzip") ? GZIP : null;
    }

    /** Its name in HTTP. */
    public String token() {
        return token;
    }

    /** The level that costs least. */
    public int levelMin() {
        return levelMin;
    }

    /** The level that packs best and isn't so slow that an event loop would stand still. */
    public int levelMax() {
        return levelMax;
    }

    /**
     * Loads what it needs, which may take a while the first time.
     *
     * @return why it can't be used here, or null where it can
     */
    public @Nullable String load() {
        try {
            switch (this) {
                case BR -> Brotli4jLoader.ensureAvailability();
                case ZSTD -> Native.load();
                default -> {}
            }
            return null;
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError e) {
            return firstLine(e);
        }
    }

    private static String firstLine(Throwable why) {
        String text = String.valueOf(why.getMessage());
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /** What packs with it; loaded before. */
    public Coder packer(int level) {
        return switch (this) {
            case GZIP -> Gzip.packer(DeflateParameters.ofLevel(level));
            case BR -> new BrotliPacker(level);
            case ZSTD -> new ZstdPacker(level);
            case DEFLATE -> throw new IllegalArgumentException("deflate (expected: a coding for answers)");
        };
    }

    /** How much what unpacks it may come to hold, roughly: the largest window that it takes. */
    public long unpackerBytesMax() {
        return unpackerBytesMax;
    }

    /** What unpacks it; loaded before. */
    public Coder unpacker() {
        return switch (this) {
            case GZIP -> new GzipUnpacker();
            case DEFLATE -> new InflateUnpacker();
            case BR -> new BrotliUnpacker();
            case ZSTD -> new ZstdUnpacker();
        };
    }
}
