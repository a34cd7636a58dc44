package net.oooops.sigma.tls;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * What is kept of the hellos of one Listener on one Worker, bounded: those of clients that send them slowly, and of those in line.
 *
 * <p>Called on that event loop only.
 */
public final class Hellos {
    /** So much is kept; beyond, those that have been coming the longest have to come again. */
    private static final int KEPT_BYTES_MAX = 8 << 20;

    /** Whose hello is kept. */
    interface Keeper {
        /** Too much is kept: it gives up its own. */
        void onCrowded();
    }

    /** Those whose hello isn't whole yet. */
    private final SequencedSet<Keeper> coming = new LinkedHashSet<>();

    private int keptBytes;

    /** None yet. */
    public Hellos() {}

    /** A hello isn't whole yet, and so many bytes more of it have come. It may have been given up for them. */
    void comes(Keeper keeper, int bytes) {
        coming.add(keeper);
        keep(keeper, bytes);
    }

    /** It is whole with the last so many bytes, and kept. It may have been given up for them. */
    void whole(Keeper keeper, int bytes) {
        coming.remove(keeper);
        keep(keeper, bytes);
    }

    /** So many bytes more of one that is kept. It may have been given up for them. */
    void keep(Keeper keeper, int bytes) {
        keptBytes += bytes;
        while (keptBytes > KEPT_BYTES_MAX && !coming.isEmpty()) {
            coming.getFirst().onCrowded();
        }
        if (keptBytes > KEPT_BYTES_MAX) {
            keeper.onCrowded();
        }
    }

    /** It isn't kept any more; so many bytes of it were. */
    void gone(Keeper keeper, int bytes) {
        coming.remove(keeper);
        keptBytes -= bytes;
    }
}
