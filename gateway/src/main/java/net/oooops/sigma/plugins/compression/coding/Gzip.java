package net.oooops.sigma.plugins.compression.coding;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What packs as gzip (RFC 1952): the system's zlib, and the JDK's where that can't be used. Any thread.
 */
public final class Gzip {
    private Gzip() {}

    /** Found out, and said, once. */
    private static final class Found {
        private static final Logger LOG = LoggerFactory.getLogger(Gzip.class);
        static final @Nullable String WHY_NOT_SYSTEM = Zlib.whyNot();

        static {
            if (WHY_NOT_SYSTEM != null) {
                LOG.warn(
                        "gzip is packed by the JDK, which costs more: the system's zlib can't be used: {}",
                        WHY_NOT_SYSTEM);
            }
        }
    }

    /** Why the system's zlib can't be used, so that there is one window and one memory; null where it can. May take a tenth of a second the first time. */
    public static @Nullable String whyNotSystem() {
        return Found.WHY_NOT_SYSTEM;
    }

    /**
     * What packs so.
     *
     * @param parameters with the usual window and memory where {@link #whyNotSystem} says why
     */
    public static Coder packer(DeflateParameters parameters) {
        return new GzipPacker(
                whyNotSystem() == null ? new ZlibDeflate(parameters) : new JdkDeflate(parameters.level()));
    }
}
