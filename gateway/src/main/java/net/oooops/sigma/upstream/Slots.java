package net.oooops.sigma.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What bounds the connections to one Node together with those to others: each takes a slot of all bounds, or of none.
 *
 * <p>Called on one event loop only; the bounds are shared with others.
 */
public final class Slots {
    private @Nullable Bound ofUpstream;
    private final @Nullable Bound all;

    /**
     * @param ofUpstream how many connections may be open to all nodes of its Upstream
     * @param all how many may be open to all nodes of all Upstreams
     */
    public Slots(@Nullable Bound ofUpstream, @Nullable Bound all) {
        this.ofUpstream = ofUpstream;
        this.all = all;
    }

    /**
     * Takes one.
     *
     * @param first whether there is no connection to the Node yet: it may always be opened, else who waits here would wait for others'
     *     connections, of which nobody tells it
     * @return null, or the bound that has no room
     */
    public @Nullable Bound take(boolean first) {
        if (ofUpstream != null && !take(ofUpstream, first)) {
            return ofUpstream;
        }
        if (all != null && !take(all, first)) {
            if (ofUpstream != null) {
                ofUpstream.release();
            }
            return all;
        }
        return null;
    }

    private static boolean take(Bound bound, boolean always) {
        if (always) {
            bound.take();
            return true;
        }
        return bound.tryTakeUncounted();
    }

    /**
     * Its Upstream has another bound from now on.
     *
     * @param count how many were taken here
     */
    public void move(@Nullable Bound other, int count) {
        Bound.move(ofUpstream, other, count);
        ofUpstream = other;
    }

    /** Gives one back. */
    public void give() {
        if (ofUpstream != null) {
            ofUpstream.release();
        }
        if (all != null) {
            all.release();
        }
    }
}
