package net.oooops.sigma.plugins.compression;

import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/** The bounds of one body that is unpacked: each coding that it was packed in is held to them, and counts by itself until it has been unpacked. */
final class Unpacking {
    /**
     * What holds for all bodies.
     *
     * @param sizeMax what one may become, in bytes
     * @param ratioMax how many times of what was received
     * @param refusals why some are refused
     */
    record Bounds(long sizeMax, int ratioMax, Refusals refusals) {}

    /**
     * Why bodies are refused.
     *
     * @param tooLarge as they become too large
     * @param garbled as they aren't what they say
     */
    record Refusals(Reason tooLarge, Reason garbled) {}

    /** Short texts that say the same again and again are no bombs. */
    static final int RATIO_FROM_BYTES = 64 * 1024;

    private final Bounds bounds;
    private final @Nullable Places places;
    private final IpAddress from;
    private long receivedBytes;

    /**
     * Those of a body of that client.
     *
     * @param places which have let it in; null where that is left to another
     */
    Unpacking(Bounds bounds, @Nullable Places places, IpAddress from) {
        this.bounds = bounds;
        this.places = places;
        this.from = from;
    }

    /** So much more came from the client. */
    void received(int bytes) {
        receivedBytes += bytes;
    }

    /** @throws RefusedBodyException where so much is more than may be */
    void check(long madeBytes) throws RefusedBodyException {
        if (madeBytes > bounds.sizeMax()) {
            throw RefusedBodyException.tooLarge(
                    "the body becomes more than " + bounds.sizeMax() + " bytes when it is unpacked (max-size)");
        }
        if (madeBytes > RATIO_FROM_BYTES && madeBytes / bounds.ratioMax() > receivedBytes) {
            throw RefusedBodyException.tooLarge("the body becomes more than " + bounds.ratioMax()
                    + " times as large when it is unpacked (max-ratio)");
        }
    }

    /** The same, with the reason. */
    RefusedBodyException because(RefusedBodyException refused) {
        return refused.because(
                refused.isTooLarge()
                        ? bounds.refusals().tooLarge()
                        : bounds.refusals().garbled());
    }

    /** One of its codings has been unpacked, or won't be. */
    void leave(Decoders by) {
        if (places != null) {
            places.leave(from, by.bytesMax());
        }
    }
}
