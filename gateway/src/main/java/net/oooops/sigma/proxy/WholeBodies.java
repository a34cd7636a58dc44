package net.oooops.sigma.proxy;

import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.plugin.Chain;

/**
 * Which bodies are collected whole before they go on: for a plugin, or because the Listener says so ({@code
 * max-content-length}).
 *
 * @param requestBytesMax the largest request body, a larger one gets 413; or {@link #PASSING}
 * @param responseBytesMax the largest response body, a larger one becomes 502; or {@link #PASSING}
 */
public record WholeBodies(int requestBytesMax, int responseBytesMax) {
    /** In place of a bound: bodies pass as they come. */
    public static final int PASSING = -1;

    /** Of requests that no Route takes. */
    public static WholeBodies unrouted(Chain chain, ListenerConfig listener) {
        return of(chain, listener, PASSING);
    }

    /** Of requests that a Route takes. */
    public static WholeBodies routed(Chain chain, ListenerConfig listener) {
        return of(chain, listener, listener.contentBytesMax() == 0 ? PASSING : listener.contentBytesMax());
    }

    private static WholeBodies of(Chain chain, ListenerConfig listener, int contentBytesMax) {
        int held = listener.limits().bufferedBodyBytesMax();
        return new WholeBodies(
                bound(chain.wholeRequestBodyBytesMax(), held, contentBytesMax),
                bound(chain.wholeResponseBodyBytesMax(), held, contentBytesMax));
    }

    /** @param ofPlugins 0 where none needs a whole body */
    private static int bound(int ofPlugins, int held, int contentBytesMax) {
        if (ofPlugins == 0) {
            return contentBytesMax;
        }
        int bound = Math.min(ofPlugins, held);
        return contentBytesMax == PASSING ? bound : Math.min(bound, contentBytesMax);
    }

    boolean collectsRequests() {
        return requestBytesMax != PASSING;
    }

    boolean collectsResponses() {
        return responseBytesMax != PASSING;
    }
}
