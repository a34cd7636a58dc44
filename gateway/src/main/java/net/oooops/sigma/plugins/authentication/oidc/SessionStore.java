package net.oooops.sigma.plugins.authentication.oidc;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** Where sessions lie. Safe for use from any thread. */
interface SessionStore extends AutoCloseable {
    /**
     * The one that a browser has, if it has one that isn't over. It may be stale.
     *
     * @return completed already where nobody had to be asked; fails where somebody had, and didn't answer
     */
    CompletableFuture<Optional<Session>> read(RequestHead request);

    /**
     * Keeps one that begins.
     *
     * @return with it and what the browser is told; empty where there is more of it than fits; fails where it can't be kept
     */
    CompletableFuture<Optional<Kept>> keep(Session session);

    /**
     * Whose turn it is to renew that one, of all who know it. Waits, for a bounded time, while it is another one's. Of those with the same owner one asks
     * at a time.
     *
     * @param owner who asks
     * @return with a {@link ProviderException} where it was ended; fails where nobody answers, or the other one doesn't come to an end
     */
    CompletableFuture<Turn> turn(Session stale, String owner);

    /**
     * Keeps what a session was renewed to, in its place, and ends the turn.
     *
     * @return as {@link #keep}; with a {@link ProviderException} where it was ended meanwhile
     */
    CompletableFuture<Optional<Kept>> keep(Session renewed, Turn.Own turn);

    /** A turn came to nothing: another one may have it. */
    void giveBack(Turn.Own turn);

    /** Ends one, as far as that is up to anybody but its browser; fails where it may still be there. */
    CompletableFuture<@Nullable Void> end(Session session);

    /** Has no more to do but to end the turns that are under way. */
    @Override
    void close();

    /**
     * A session that is kept.
     *
     * @param cookie by which its browser has it
     */
    record Kept(Session session, Field cookie) {}

    /** Whose turn it is to renew a session. */
    sealed interface Turn {
        /**
         * Who asked is to renew it.
         *
         * @param session as it is now
         * @param owner whose turn it is
         */
        record Own(Session session, String owner) implements Turn {}

        /** Another one has renewed it meanwhile. */
        record Done(Kept kept) implements Turn {}
    }
}
