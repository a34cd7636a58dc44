package net.oooops.sigma.api;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes another body of one that passes, part by part: nothing is collected, and a side that takes nothing more stops the other one. Given to
 * {@link Exchange#transformRequestBody} or {@link Exchange#transformResponseBody}; made for one body of one exchange, and not used again.
 *
 * <pre>
 *   chunk ... chunk ─▶ end ─▶ close       the body came to its end
 *   chunk ... ─▶ cut ─▶ close             the exchange failed while its answer was under way
 *   chunk ... ─▶ close                    it ended otherwise, or another response took the place of this one
 * </pre>
 *
 * <p>Behind each of {@code chunk}, {@code more}, {@code pause} and {@code end} there is {@code more} as long as {@link #hasMore} says so, and nothing else but
 * {@code cut} and {@code close}; a body of which much becomes, as one that is unpacked, goes on no faster than the other side takes it. {@code pause}
 * may come between chunks.
 *
 * <p>Called on the exchange's event loop, that of blocking plugins too: it must not wait. Several transforms of one body are called in the
 * order in which they were given; the next one sees what the one before wrote.
 *
 * <p>The body that goes on is framed anew: its length is only said where all of it is known before its head is written, so nodes and clients
 * of HTTP/1.1 get it chunked. What goes on is what was written, whether a chunk makes no byte, as many, or more.
 *
 * <p>An exception ends the exchange as a plugin's failure: 500 where the client has no answer yet, else its answer is cut short. A body that
 * isn't what it should be is a {@link RefusedBodyException}. After either it is told nothing more but {@link
 * #close}.
 */
public interface BodyTransform {
    /**
     * Where it writes what it takes and nothing else, and refuses a body that is larger than so much: that bound. Asked once, when it is given. A request's
     * body that is collected for a plugin behind the one that gave it keeps that bound: more ends the exchange with 413 before that plugin sees any of it.
     * Then nothing but {@link #close} is called, as the body has been judged. It is so as long as no transform before it may make another body.
     *
     * @return null where it may make another body of the one that passes
     */
    default @Nullable BodyBound bound() {
        return null;
    }

    /**
     * Takes the next bytes of the body.
     *
     * @param chunk read-only, at least one byte, cut anywhere; valid until this returns. All of it is taken, whatever its position is then
     * @param out where what becomes of it is written; may be left alone, for what can't go on yet. What is kept back meanwhile is to be
     *     bounded by the transform itself
     */
    void chunk(ByteBuffer chunk, BodyOutput out) throws Exception;

    /**
     * Whether what it has taken makes more than it has written: then {@link #more} is called before anything else is, once the other side takes
     * more. Asked after each call that may write. Meanwhile the next bytes of the body wait, and the side that sends them is stopped.
     */
    default boolean hasMore() {
        return false;
    }

    /**
     * Goes on with what {@link #hasMore} spoke of. At least one byte is to be written, or there is to be no more then.
     *
     * @param out where the next of it is written: as much as is handy, a few ten thousand bytes
     */
    default void more(BodyOutput out) throws Exception {}

    /**
     * No more is there for the moment: what was read at once has been shown. What is kept back may be written now, so that the other side sees it
     * before the next bytes come.
     *
     * @param out where that is written; may be left alone
     */
    default void pause(BodyOutput out) throws Exception {}

    /**
     * The body is complete. Called once, also for a body without a byte.
     *
     * @param trailers what came behind the body (RFC 9110 section 6.5), empty where nothing did. Edits are applied: what is removed doesn't
     *     go on, what is added does where the other side takes trailers. Valid until this returns
     * @param out where the last of the body is written
     */
    default void end(Head trailers, BodyOutput out) throws Exception {}

    /**
     * The exchange has failed while its answer was under way: the rest of the body never comes. Asked of the last transform of a response's
     * body, unless the client is gone or a plugin is what failed. Where the form that it writes can tell that the answer isn't whole, it may
     * write that.
     *
     * @param fault why
     * @param out where the last of the body is written
     * @return true where the answer ends with what was written; false where its client is to see it cut short, as without a transform
     */
    default boolean cut(Fault fault, BodyOutput out) throws Exception {
        return false;
    }

    /** Releases what it holds. Called once, last, however the exchange ended. */
    default void close() {}
}
