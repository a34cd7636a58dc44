package net.oooops.sigma.proxy;

import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.plugin.Chain;

/**
 * Which bodies are collected whole before they go on: for a plugin, or because the Listener says so ({@code
 * max-content-length}).
 *
 * @param requestBytesMax the largest request body, a larger one gets 413; or {@link #PASSING}
 * @param responseBytesMax the largest response body, a larger one becomes 502; or {@link #PASSING}
 * @param shadow what plugins in shadow need
 */
public record WholeBodies(int requestBytesMax, int responseBytesMax, Shadow shadow) {
    /**
     * What is collected for plugins in shadow, where a length is said that is no larger: nothing fails for them.
     *
     * @param requestBytesMax the largest request body; 0 where none is collected
     * @param responseBytesMax the largest response body; 0 where none is collected
     */
    public record Shadow(int requestBytesMax, int responseBytesMax) {
        static final Shadow NONE = new Shadow(0, 0);
    }

    /** In place of a bound: bodies pass as they come. */
    public static final int PASSING = -1;

    /** Nothing of it for plugins in shadow. */
    public WholeBodies(int requestBytesMax, int responseBytesMax) {
        this(requestBytesMax, responseBytesMax, Shadow.NONE);
    }

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
                bound(chain.wholeResponseBodyBytesMax(), held, contentBytesMax),
                new Shadow(
                        Math.min(chain.shadowRequestBodyBytesMax(), held),
                        Math.min(chain.shadowResponseBodyBytesMax(), held)));
    }

    /** @param ofPlugins 0 where none needs a whole body */
    private static int bound(int ofPlugins, int held, int contentBytesMax) {
        if (ofPlugins == 0) {
            return contentBytesMax;
        }
        int bound = Math.min(ofPlugins, held);
        return contentBytesMax == PASSING ? bound : Math.min(bound, contentBytesMax);
    }

    /** Whether the body of that request is collected for plugins in shadow. A client that waits to be asked for it isn't asked sooner for them. */
    boolean collectsForShadow(HttpRequestHead head) {
        return fits(head.hasBody() ? head.contentLength() : 0, shadow.requestBytesMax) && !head.expectsContinue();
    }

    /** Whether the body of that response is, of which there is one. */
    boolean collectsForShadow(HttpResponseHead head) {
        return fits(head.contentLength(), shadow.responseBytesMax);
    }

    private static boolean fits(long lengthBytes, int bytesMax) {
        return bytesMax > 0 && lengthBytes >= 0 && lengthBytes <= bytesMax;
    }

    /** Whether plugins in shadow see responses whole. */
    boolean showsResponsesToShadow() {
        return shadow.responseBytesMax > 0;
    }

    /** How much of a request's body may be collected. */
    long requestBoundBytes() {
        return collectsRequests() ? requestBytesMax : Long.MAX_VALUE;
    }

    /** How much of a response's body may be. */
    long responseBoundBytes() {
        return collectsResponses() ? responseBytesMax : Long.MAX_VALUE;
    }

    boolean collectsRequests() {
        return requestBytesMax != PASSING;
    }

    boolean collectsResponses() {
        return responseBytesMax != PASSING;
    }
}
