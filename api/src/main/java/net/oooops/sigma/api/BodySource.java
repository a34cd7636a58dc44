package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/**
 * Gives the body of a {@link Response} part by part, as its client takes it: nothing is collected, and a client that takes nothing more stops it. It
 * becomes a body by {@link StreamBody}; made for one body of one exchange, and not used again.
 *
 * <pre>
 *   begin ─▶ next ... next ─▶ trailers ─▶ close      all of the body was given
 *   begin ─▶ next ... drain ─▶ next ... ─▶ close     the gateway is about to end
 *   begin ─▶ next ... ─▶ close                       the exchange failed, or its client went away
 *   close                                            nobody takes a body: HEAD, a plugin in shadow, another response in its place
 * </pre>
 *
 * <p>Called on the exchange's event loop, also for blocking plugins: it must not wait. What takes time is done on threads of the plugin's own, which
 * say that there is more and leave it for {@code next}. Only {@code close} of a response that nobody takes may be called on another thread, that which
 * gave the outcome.
 *
 * <p>An exception, a part that is larger than it may be, and giving no byte for as long as {@code timeouts.plugin} while the client takes more are
 * failures of the plugin. The answer has begun by then, so that its client sees it cut short: by the end of the connection, or RST_STREAM.
 */
public interface BodySource {
    /** What follows behind that which a call has written. */
    enum Next {
        /** More is there: it is asked again as soon as its client takes more. The call has written at least a byte. */
        MORE,
        /** Nothing more is there now. It is asked again once {@code begin}'s {@code more} was run, if that was not during the call already. */
        LATER,
        /** That was all of it. */
        END
    }

    /**
     * The head of the response has been written, and the body is about to follow. Called once, before all but {@code close}.
     *
     * @param more to be run when more is there, on any thread and as often as one likes; it doesn't wait. Without effect when the body is over
     */
    default void begin(Runnable more) throws Exception {}

    /**
     * Gives the next part of the body.
     *
     * @param out where it is written: up to {@link StreamBody#PART_BYTES_MAX} bytes, and no more than the length has left, where one was said; {@link
     *     BodyOutput#room} tells
     */
    Next next(BodyOutput out) throws Exception;

    /**
     * The gateway is about to end, or to stop listening where the client came from: the body should come to its end. Called once at most, after {@code begin};
     * then {@code next} is called, also where nothing was there before. Who gives {@link Next#END} has its client see a whole body. What hasn't ended in {@code
     * timeouts.drain} is cut short. Where another process takes the gateway's place, it is called when that time is over for what lies open for long.
     */
    default void drain() throws Exception {}

    /**
     * What comes behind the body (RFC 9110 section 6.5): fields that are added go to a client that can be sent any. Called once, after {@link
     * Next#END}, where no length was said.
     *
     * @param trailers empty; valid until this returns
     */
    default void trailers(Head trailers) throws Exception {}

    /**
     * Releases what it holds. Called once, last, whatever has happened. That all was given doesn't say that all has arrived.
     *
     * @param fault why the exchange failed; null where all of the body went on, or nobody takes one
     */
    default void close(@Nullable Fault fault) {}
}
