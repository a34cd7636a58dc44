package net.oooops.sigma.flow;

import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.plugin.Chain;

/**
 * Which bodies are collected whole before they go on: for a plugin, or because the Listener says so ({@code
 * max-content-length}).
 *
 * @param requestBytesMax the largest request body, a larger one gets 413; 0: it passes as it comes
 * @param responseBytesMax the largest response body, a larger one becomes 502; 0: it passes as it comes
 */
public record WholeBodies(int requestBytesMax, int responseBytesMax) {
    /** Of requests that no Route takes. */
    public static WholeBodies unrouted(Chain chain, ListenerConfig listener) {
        return of(chain, listener, 0);
    }

    /** Of requests that a Route takes. */
    public static WholeBodies routed(Chain chain, ListenerConfig listener) {
        return of(chain, listener, listener.contentBytesMax());
    }

    private static WholeBodies of(Chain chain, ListenerConfig listener, int contentBytesMax) {
        int held = listener.limits().bufferedBodyBytesMax();
        return new WholeBodies(
                smaller(Math.min(held, chain.wholeRequestBodyBytesMax()), contentBytesMax),
                smaller(Math.min(held, chain.wholeResponseBodyBytesMax()), contentBytesMax));
    }

    /** 0 is no bound. */
    private static int smaller(int bound, int other) {
        return bound == 0 || other == 0 ? Math.max(bound, other) : Math.min(bound, other);
    }
}
