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
     * Keeps one, in the place of what was there of the same.
     *
     * @return with it and what the browser is told; empty where there is more of it than fits; fails where it can't be kept
     */
    CompletableFuture<Optional<Kept>> keep(Session session);

    /** Ends one, as far as that is up to anybody but its browser; fails where it may still be there. */
    CompletableFuture<@Nullable Void> end(Session session);

    /** Has no more to do. */
    @Override
    void close();

    /**
     * A session that is kept.
     *
     * @param cookie by which its browser has it
     */
    record Kept(Session session, Field cookie) {}
}
