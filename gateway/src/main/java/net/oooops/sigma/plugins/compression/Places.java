package net.oooops.sigma.plugins.compression;

import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.plugins.compression.DecoderCount.Held;

/**
 * How many bodies a place of sigma.json lets in to be unpacked at once, of one client and of all: by its own settings, against what all places
 * together hold, and the plugins that a reload replaced. A body holds its places until it has passed, as its decoders hold memory between its
 * parts: whoever sends slowly holds some for as long as he likes, but only his share.
 *
 * <p>Safe for use from any thread.
 */
final class Places {
    /**
     * So much there may be.
     *
     * @param bodies a body in several codings counts once for each
     * @param bytes which their decoders may come to hold
     */
    record Most(int bodies, long bytes) {}

    /**
     * How much may be under way at once.
     *
     * @param perClient of one client
     */
    record Load(Most most, Most perClient) {
        /** Whether a client may have all that there is: it is refused as all together are, then. */
        boolean isOfOne() {
            return perClient.bodies >= most.bodies;
        }
    }

    /** Whether a body may be unpacked. */
    enum Admission {
        ADMITTED,
        /** All together have too much. */
        BUSY,
        /** That client has. */
        CLIENT_BUSY
    }

    /**
     * What all places hold.
     *
     * @param tried how much would be held besides, of plugins in shadow
     */
    record OfAll(DecoderCount now, DecoderCount tried) {
        OfAll() {
            this(new DecoderCount(), new DecoderCount());
        }
    }

    private final OfAll all;
    private final Load load;
    private final PluginContext.Gauge shown;

    /** @param shown how many bodies there are */
    Places(OfAll all, Load load, PluginContext.Gauge shown) {
        this.all = all;
        this.load = load;
        this.shown = shown;
    }

    /**
     * Lets a body in, where there is room. Its client's first is let in however much it needs, where all together have room, and the only one there
     * is anyway: no setting is too small for any body at all.
     *
     * @param codings how many it is in: each is to {@link #leave}
     * @param bytesMax what its decoders may come to hold
     */
    Admission enter(IpAddress from, int codings, long bytesMax) {
        Admission admission = all.now.add(from, new Held(codings, bytesMax), load, null);
        if (admission == Admission.ADMITTED) {
            shown.add(codings);
        }
        return admission;
    }

    /** One of the codings of a body that was let in has been unpacked, or won't be. */
    void leave(IpAddress from, long bytesMax) {
        all.now.remove(from, new Held(1, bytesMax));
        shown.add(-1);
    }

    /** The same as {@link #enter}, if those in shadow were unpacked; it counts until {@link #leaveTried}, for those in shadow alone. */
    Admission enterTried(IpAddress from, int codings, long bytesMax) {
        return all.tried.add(from, new Held(codings, bytesMax), load, all.now);
    }

    /** One that was let in, with all of its codings, is over. */
    void leaveTried(IpAddress from, int codings, long bytesMax) {
        all.tried.remove(from, new Held(codings, bytesMax));
    }
}
