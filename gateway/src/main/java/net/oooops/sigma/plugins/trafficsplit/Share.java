package net.oooops.sigma.plugins.trafficsplit;

import net.oooops.sigma.api.Field;
import org.jspecify.annotations.Nullable;

/**
 * One of the ways, and whom it is for.
 *
 * @param target the proxy-pass; null: as the route says
 * @param upTo above the draws that it is for, which begin where those of the one before end; of {@link Draw#RANGE}
 * @param cookie what keeps a client on it; null where nothing does
 * @param secureCookie the same for clients that came over https
 */
record Share(
        @Nullable String target,
        int upTo,
        @Nullable Field cookie,
        @Nullable Field secureCookie) {
    /** What the cookie of that way has for its value. */
    static String value(@Nullable String target) {
        return target == null ? "-" : target;
    }
}
