package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Remembered;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Has the provider say whether users are still logged in, and give them other tokens. A page asks for many things at once, with the same session: they wait
 * for one renewal, and what comes later with the cookie of before gets the same, since providers take a refresh token that is used twice for a stolen one.
 *
 * <p>Safe for use from any thread.
 */
final class Renewals {
    /** How many sessions are remembered that were renewed, each for {@link #HOLDS_NANOS}. */
    static final int REMEMBERED_MAX = 2_000;

    private static final long HOLDS_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long FAILURE_HOLDS_NANOS = Duration.ofSeconds(5).toNanos();

    private final Provider provider;
    private final Client client;
    private final IdTokens idTokens;
    private final Sessions sessions;
    private final SessionStore store;
    private final PluginContext.Counter renewals;
    private final Remembered<Renewal> remembered = new Remembered<>(REMEMBERED_MAX);
    private final ConcurrentHashMap<Digest, CompletableFuture<Renewal>> underWay = new ConcurrentHashMap<>();

    /** How one ended. */
    enum End {
        RENEWED,
        /** There is more of it than fits. */
        TOO_LARGE,
        /** The provider says that it is over. */
        OVER,
        /** The provider didn't say, or it can't be kept. */
        UNKNOWN
    }

    /**
     * What came of one.
     *
     * @param kept null where it isn't renewed
     */
    record Renewal(End end, SessionStore.@Nullable Kept kept, long atNanos) {
        boolean holds() {
            return System.nanoTime() - atNanos < (end == End.UNKNOWN ? FAILURE_HOLDS_NANOS : HOLDS_NANOS);
        }
    }

    Renewals(Provided provided, Sessions sessions, SessionStore store, PluginContext.Counter renewals) {
        this.provider = provided.provider();
        this.client = provided.client();
        this.idTokens = provided.idTokens();
        this.sessions = sessions;
        this.store = store;
        this.renewals = renewals;
    }

    /** Renews that session, or waits for the same; completes without a failure. */
    CompletionStage<Renewal> renew(Exchange exchange, Session session) {
        Digest key = Digest.of(session.refresh().getBytes(StandardCharsets.UTF_8));
        Renewal before = remembered.get(key);
        if (before != null && before.holds()) {
            return CompletableFuture.completedFuture(before);
        }
        CompletableFuture<Renewal> own = new CompletableFuture<>();
        CompletableFuture<Renewal> other = underWay.putIfAbsent(key, own);
        if (other != null) {
            return other;
        }
        before = remembered.get(key);
        if (before != null && before.holds()) {
            // It came to its end between the two looks.
            end(key, own, before);
        } else {
            asked(exchange, session)
                    .thenCompose(store::keep)
                    .thenApply(this::renewed)
                    .exceptionally(this::ended)
                    .thenAccept(renewal -> end(key, own, renewal));
        }
        return own;
    }

    private void end(Digest key, CompletableFuture<Renewal> own, Renewal renewal) {
        remembered.put(key, renewal);
        underWay.remove(key, own);
        own.complete(renewal);
    }

    private CompletionStage<Session> asked(Exchange exchange, Session session) {
        return provider.known(exchange)
                .thenCompose(known -> provider.askInAnyCase(
                                exchange,
                                known.metadata().token(),
                                client.freshTokens(known.metadata(), session.refresh()))
                        .thenApply(Tokens::of)
                        .thenCompose(tokens -> renewed(exchange, known, session, tokens)));
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

    private Renewal renewed(Optional<SessionStore.Kept> kept) {
        renewals.increment();
        provider.worked();
        return new Renewal(kept.isPresent() ? End.RENEWED : End.TOO_LARGE, kept.orElse(null), System.nanoTime());
    }

    private Renewal ended(Throwable failure) {
        boolean over = Provider.cause(failure) instanceof ProviderException known && known.kind() != Kind.UNAVAILABLE;
        boolean ofProvider = !(Provider.cause(failure) instanceof RedisException);
        if (!over && ofProvider) {
            provider.failed(failure);
        }
        return new Renewal(over ? End.OVER : End.UNKNOWN, null, System.nanoTime());
    }
}
