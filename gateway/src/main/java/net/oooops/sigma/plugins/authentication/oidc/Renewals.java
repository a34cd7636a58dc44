package net.oooops.sigma.plugins.authentication.oidc;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Has the provider say whether users are still logged in, and give them other tokens. A page asks for many things at once, with the same session: those
 * that need it wait for one renewal, and what comes later with the cookie of before gets the same, since providers take a refresh token that is used twice
 * for a stolen one.
 *
 * <p>Safe for use from any thread.
 */
final class Renewals {
    /** How many renewals on may lie between a session that comes late and the one of now. */
    private static final int STEPS_MAX = 20;

    private final Provider provider;
    private final Client client;
    private final IdTokens idTokens;
    private final Sessions sessions;
    private final SessionStore store;
    private final PluginContext.Counter renewals;
    private final RenewalMemory memory;

    /** How one ended. */
    enum End {
        RENEWED,
        /** There is more of it than fits. */
        TOO_LARGE,
        /** The provider says that it is over. */
        OVER,
        /** The provider didn't say. */
        UNKNOWN,
        /** Where sessions lie, nobody answers. */
        UNKEPT,
        /** Who asked has gone before the provider was asked. */
        ASKER_GONE
    }

    /**
     * What came of one.
     *
     * @param kept null where it isn't renewed
     */
    record Renewal(End end, SessionStore.@Nullable Kept kept, long atNanos) {}

    /** @param memory of all that renew the same sessions */
    Renewals(
            Provided provided,
            Sessions sessions,
            SessionStore store,
            RenewalMemory memory,
            PluginContext.Counter renewals) {
        this.provider = provided.provider();
        this.client = provided.client();
        this.idTokens = provided.idTokens();
        this.sessions = sessions;
        this.store = store;
        this.memory = memory;
        this.renewals = renewals;
    }

    /** Whether that session, or what it was renewed to, is being renewed: who needn't wait for it needn't ask. */
    boolean isUnderWay(Session session) {
        return isUnderWay(session, STEPS_MAX);
    }

    private boolean isUnderWay(Session session, int steps) {
        Digest key = RenewalMemory.key(session);
        if (memory.isUnderWay(key)) {
            return true;
        }
        Renewal last = memory.last(key);
        Session since = last == null || last.kept == null ? null : last.kept.session();
        return since != null
                && steps > 1
                && since.isStale(sessions.nowMillis())
                && !since.refresh().equals(session.refresh())
                && isUnderWay(since, steps - 1);
    }

    /** Renews that session, or waits for the same; completes without a failure. */
    CompletionStage<Renewal> renew(Exchange exchange, Session session) {
        return renew(exchange, session, STEPS_MAX);
    }

    private CompletionStage<Renewal> renew(Exchange exchange, Session session, int steps) {
        Digest key = RenewalMemory.key(session);
        Renewal last = memory.last(key);
        Session since = last == null || last.kept == null ? null : last.kept.session();
        boolean stale = since != null && since.isStale(sessions.nowMillis());
        if (last != null && !stale) {
            return CompletableFuture.completedFuture(last);
        }
        if (since != null && steps > 1 && !since.refresh().equals(session.refresh())) {
            // What it was renewed to is stale in its turn; the token of before is spent.
            return renew(exchange, since, steps - 1);
        }
        CompletableFuture<Renewal> own = new CompletableFuture<>();
        CompletableFuture<Renewal> other = memory.begin(key, own);
        if (other != null) {
            return other.thenCompose(renewal -> renewal.end == End.ASKER_GONE && steps > 1
                    ? renew(exchange, session, steps - 1)
                    : CompletableFuture.completedFuture(renewal));
        }
        Renewal meanwhile = memory.last(key);
        if (meanwhile != null && (last == null || meanwhile.atNanos != last.atNanos)) {
            // Another one came to its end between the two looks.
            memory.end(key, own, meanwhile);
            return own;
        }
        provider.known(exchange)
                .thenCompose(known ->
                        store.turn(session, memory.owner()).thenCompose(turn -> renewal(exchange, known, key, turn)))
                .exceptionally(this::ended)
                .thenCompose(renewal -> unlessLoggedOut(key, renewal))
                .thenAccept(renewal -> memory.end(key, own, renewal));
        return own;
    }

    private CompletionStage<Renewal> renewal(
            Exchange exchange, Provider.Known known, Digest key, SessionStore.Turn turn) {
        return switch (turn) {
            case SessionStore.Turn.Done done ->
                CompletableFuture.completedFuture(new Renewal(End.RENEWED, done.kept(), System.nanoTime()));
            case SessionStore.Turn.Own own ->
                asked(exchange, known, key, own)
                        .whenComplete((renewed, failure) -> {
                            if (failure != null) {
                                store.giveBack(own);
                            }
                        })
                        .thenCompose(renewed -> store.keep(renewed, own))
                        .thenApply(this::renewed);
        };
    }

    /** The user logs out: what is being renewed is over when it is, and nobody gets it. */
    void loggedOut(Session session) {
        memory.logOut(RenewalMemory.key(session));
    }

    private CompletionStage<Renewal> unlessLoggedOut(Digest key, Renewal renewal) {
        SessionStore.Kept kept = renewal.kept;
        if (kept == null || !memory.isLoggedOut(key)) {
            return CompletableFuture.completedFuture(renewal);
        }
        Renewal over = new Renewal(End.OVER, null, System.nanoTime());
        return store.end(kept.session()).handle((done, failure) -> over);
    }

    private CompletionStage<Session> asked(
            Exchange exchange, Provider.Known known, Digest key, SessionStore.Turn.Own own) {
        Session unkept = memory.unkept(key);
        if (unkept != null && unkept.renewalsCount() > own.session().renewalsCount()) {
            // The token is spent.
            return CompletableFuture.completedFuture(unkept);
        }
        Session session = own.session();
        return provider.askInAnyCase(
                        exchange, known.metadata().token(), client.freshTokens(known.metadata(), session.refresh()))
                .thenApply(Tokens::of)
                .thenCompose(tokens -> renewed(exchange, known, session, tokens)
                        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(ofSpent(failure))))
                .thenApply(renewed -> {
                    memory.unkept(key, renewed);
                    return renewed;
                });
    }

    private CompletionStage<Session> renewed(Exchange exchange, Provider.Known known, Session before, Tokens tokens) {
        if (tokens.identity() == null) {
            IdTokens.Identity same = new IdTokens.Identity(before.subject(), before.consumer());
            return CompletableFuture.completedFuture(sessions.renewed(before, same, tokens));
        }
        return idTokens.verified(exchange, known, tokens, null).thenApply(who -> {
            if (!who.subject().equals(before.subject())) {
                throw new ProviderException(Kind.UNFIT_TOKEN, "an ID token of another user");
            }
            return sessions.renewed(before, who, tokens);
        });
    }

    /** Who asked may have gone; nobody is to ask again with a token that is spent. */
    private static Throwable ofSpent(Throwable failure) {
        return Provider.isAskerGone(failure) ? ProviderException.unavailable("nobody waits for its keys") : failure;
    }

    private Renewal renewed(Optional<SessionStore.Kept> kept) {
        renewals.increment();
        provider.worked();
        return new Renewal(kept.isPresent() ? End.RENEWED : End.TOO_LARGE, kept.orElse(null), System.nanoTime());
    }

    private Renewal ended(Throwable failure) {
        return new Renewal(endOf(failure), null, System.nanoTime());
    }

    private End endOf(Throwable failure) {
        Throwable cause = Provider.cause(failure);
        if (cause instanceof RedisException) {
            return End.UNKEPT;
        }
        if (cause instanceof ProviderException known && known.kind() != Kind.UNAVAILABLE) {
            return End.OVER;
        }
        if (Provider.isAskerGone(failure)) {
            return End.ASKER_GONE;
        }
        provider.failed(failure);
        return End.UNKNOWN;
    }
}
