package net.oooops.sigma.plugins.compression;

import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.RefusedBodyException;
import org.jspecify.annotations.Nullable;

/** The bounds of one body that is unpacked: each coding that it was packed in is held to them. */
final class Unpacking {
    /**
     * What holds for all bodies.
     *
     * @param sizeMax what one may become, in bytes
     * @param ratioMax how many times of what was received
     * @param bodiesMax how many may be unpacked at once
     */
    record Bounds(long sizeMax, int ratioMax, int bodiesMax) {}

    /** Short texts that say the same again and again are no bombs. */
    static final int RATIO_FROM_BYTES = 64 * 1024;

    private final Bounds bounds;
    private final AtomicInteger bodies;
    private long receivedBytes;
    /** The one that reads what was received. */
    private @Nullable UnpackedBody first;

    private Unpacking(Bounds bounds, AtomicInteger bodies) {
        this.bounds = bounds;
        this.bodies = bodies;
    }

    /** Those of one more body, which counts then until its transforms are closed; null where there are as many as may be. */
    static @Nullable Unpacking enter(Bounds bounds, AtomicInteger bodies) {
        if (bodies.incrementAndGet() <= bounds.bodiesMax()) {
            return new Unpacking(bounds, bodies);
        }
        bodies.decrementAndGet();
        return null;
    }

    /** That one reads what was received. */
    void first(UnpackedBody transform) {
        first = transform;
    }

    void received(UnpackedBody by, int bytes) {
        if (by == first) {
            receivedBytes += bytes;
        }
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

    void closed(UnpackedBody transform) {
        if (transform == first) {
            first = null;
            bodies.decrementAndGet();
        }
    }
}
