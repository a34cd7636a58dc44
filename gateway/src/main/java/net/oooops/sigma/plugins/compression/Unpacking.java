package net.oooops.sigma.plugins.compression;

import java.util.concurrent.atomic.AtomicInteger;
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
     * @param bodiesMax how many may be unpacked at once: a body in several codings counts once for each
     * @param refusals why some are refused
     */
    record Bounds(long sizeMax, int ratioMax, int bodiesMax, Refusals refusals) {}

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
    private final AtomicInteger bodies;
    private long receivedBytes;

    private Unpacking(Bounds bounds, AtomicInteger bodies) {
        this.bounds = bounds;
        this.bodies = bodies;
    }

    /**
     * Those of one more body; null where that would be more than may be.
     *
     * @param codings how many it is in: each counts until {@link #leave}
     */
    static @Nullable Unpacking enter(Bounds bounds, AtomicInteger bodies, int codings) {
        if (bodies.addAndGet(codings) <= bounds.bodiesMax()) {
            return new Unpacking(bounds, bodies);
        }
        bodies.addAndGet(-codings);
        return null;
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
    void leave() {
        bodies.decrementAndGet();
    }
}
