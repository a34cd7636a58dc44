package net.oooops.sigma.plugins.authentication.oidc;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests with a session pass, and has users log in at a provider to get one.
 *
 * <pre>
 *   request ─▶ callback? ─▶ logout? ─▶ session? ─▶ (renewed, where it is stale) ─▶ node
 *                                         └▶ none: login, or 401
 * </pre>
 */
final class Oidc implements Plugin {
    /** How long the hint of a logout may be: what stands in a URL has to fit into the head of a request. */
    private static final int HINT_CHARS_MAX = 4_096;

    private static final FieldName AUTHORIZATION = FieldName.of("Authorization");

    /**
     * Its paths.
     *
     * @param afterLogout where browsers get that have logged out
     */
    record Paths(String callback, String logout, String afterLogout) {}

    /**
     * What becomes of requests.
     *
     * @param unlessKnown whether one passes whose consumer a plugin before has found
     * @param keepsUnsure whether a session goes on when the provider can't be asked about it
     * @param givesAuthorization whether what nodes get in the field Authorization is Sigma's
     */
    record Decisions(
            Unauthenticated unauthenticated, boolean unlessKnown, boolean keepsUnsure, boolean givesAuthorization) {}

    /** What it works with. */
    record Parts(
            Provider provider,
            Client client,
            Logins logins,
            Sessions sessions,
            SessionStore store,
            Renewals renewals,
            Cookies cookies) {}

    private final Paths paths;
    private final Ascii callbackPrefix;
    private final Ascii logoutPrefix;
    private final Decisions decisions;
    private final Parts parts;
    private final Answers answers;
    private final List<String> targets;
    private final LogoutCheck logoutCheck;
    private final BoundedWork waiting;

    /** @param targets the proxy-passes by which the provider is asked */
    Oidc(Paths paths, Decisions decisions, Parts parts, Answers answers, List<String> targets) {
        this.paths = paths;
        this.callbackPrefix = Ascii.of(paths.callback);
        this.logoutPrefix = Ascii.of(paths.logout);
        this.decisions = decisions;
        this.parts = parts;
        this.answers = answers;
        this.targets = List.copyOf(targets);
        this.logoutCheck = new LogoutCheck(parts.client.callback().server());
        this.waiting = WaitingPlaces.begin(parts.provider.issuer()).work();
    }

    @Override
    public Needs needs() {
        return Needs.BOTH;
    }

    @Override
    public List<String> targets() {
        return targets;
    }

    @Override
    public void takeOver(Plugin before) {
        if (before instanceof Oidc oidc) {
            parts.provider.takeOver(oidc.parts.provider);
        }
    }

    @Override
    public byte[] leave() {
        return parts.provider.leave();
    }

    @Override
    public void inherit(byte[] left) {
        parts.provider.inherit(left);
    }

    @Override
    public void close() {
        WaitingPlaces.end(parts.provider.issuer());
        parts.store.close();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (request.pathStartsWith(callbackPrefix) && request.path().equals(paths.callback)) {
            return callback(exchange);
        }
        if (request.pathStartsWith(logoutPrefix) && request.path().equals(paths.logout)) {
            return logout(exchange);
        }
        if (decisions.unlessKnown && exchange.consumer() != null) {
            parts.cookies.hide(request);
            return Outcome.CONTINUE;
        }
        CompletableFuture<Optional<Session>> session = parts.store.read(request);
        if (session.isDone() && !session.isCompletedExceptionally()) {
            return decided(exchange, session.getNow(Optional.empty()));
        }
        return Outcome.suspend(session.handle((found, failure) ->
                found == null ? answers.storeUnavailable() : Outcome.then(there -> decided(there, found))));
    }

    private Outcome decided(Exchange exchange, Optional<Session> found) {
        if (found.isEmpty()) {
            return withoutSession(exchange);
        }
        Session session = found.get();
        long nowMillis = parts.sessions.nowMillis();
        if (!session.isStale(nowMillis) || exchange.isShadow()) {
            // A refresh token is good once, too.
            return pass(exchange, session);
        }
        boolean good = session.isGood(nowMillis);
        if (good && parts.renewals.isUnderWay(session)) {
            return pass(exchange, session);
        }
        Outcome outcome = park(
                exchange,
                () -> parts.renewals
                        .renew(exchange, session)
                        .thenApply(renewal -> Outcome.then(there -> renewed(there, session, renewal))));
        // Where too much waits already, a later request has it renewed.
        return good && !(outcome instanceof Outcome.Suspend) ? pass(exchange, session) : outcome;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        if (exchange.attachment(this) instanceof Field cookie) {
            exchange.response().add(cookie);
            // Whoever keeps it for others would give the session away.
            exchange.response().set(Answers.noStore());
        }
        return Outcome.CONTINUE;
    }

    private Outcome pass(Exchange exchange, Session session) {
        RequestHead request = exchange.request();
        parts.cookies.hide(request);
        exchange.consumer(session.consumer());
        if (decisions.givesAuthorization) {
            giveAuthorization(request, session.access());
        }
        return Outcome.CONTINUE;
    }

    /** Nothing of a client's passes for the provider's: not with a session that was begun under other settings, and holds no token, either. */
    private static void giveAuthorization(RequestHead request, String access) {
        if (access.isEmpty()) {
            request.remove(AUTHORIZATION);
        } else {
            request.set(Field.of(AUTHORIZATION, "Bearer " + access));
        }
    }

    private Outcome renewed(Exchange exchange, Session before, Renewals.Renewal renewal) {
        SessionStore.Kept kept = renewal.kept();
        if (kept != null) {
            exchange.attach(this, kept.cookie());
            return pass(exchange, kept.session());
        }
        // What the provider has given is good for as long as it has said, whether it can be asked or not.
        boolean goesOn = decisions.keepsUnsure || before.isGood(parts.sessions.nowMillis());
        return switch (renewal.end()) {
            case UNKNOWN, ASKER_GONE -> goesOn ? pass(exchange, before) : answers.unavailable();
            case UNKEPT -> goesOn ? pass(exchange, before) : answers.storeUnavailable();
            case TOO_LARGE -> answers.sessionTooLarge();
            default -> withoutSession(exchange);
        };
    }

    private Outcome withoutSession(Exchange exchange) {
        RequestHead request = exchange.request();
        if (decisions.unauthenticated == Unauthenticated.PASS) {
            parts.cookies.hide(request);
            if (decisions.givesAuthorization) {
                request.remove(AUTHORIZATION);
            }
            return Outcome.CONTINUE;
        }
        if (!decisions.unauthenticated.logsIn(request)) {
            return answers.noSession();
        }
        CompletableFuture<Provider.Known> known = parts.provider.known(exchange).toCompletableFuture();
        if (known.isDone() && !known.isCompletedExceptionally()) {
            // Nobody has to be asked.
            return Outcome.suspend(
                    known.thenApply(provided -> Outcome.then(there -> parts.logins.begin(there, provided.metadata()))));
        }
        return park(
                exchange,
                () -> known.handle((provided, failure) -> failure == null
                        ? Outcome.then(there -> parts.logins.begin(there, provided.metadata()))
                        : answers.unavailable()));
    }

    private Outcome callback(Exchange exchange) {
        RequestHead request = exchange.request();
        Map<String, String> parameters = FormText.read(request.query());
        LoginState login = parameters == null ? null : parts.logins.carriedBy(request, parameters);
        if (parameters == null || login == null || !request.method().equals("GET")) {
            return answers.unfitCallback();
        }
        if (parameters.containsKey("error")) {
            return answers.loginRefused();
        }
        if (exchange.isShadow()) {
            // A code is good once.
            return answers.unavailable();
        }
        return park(
                exchange,
                () -> parts.logins
                        .end(exchange, login, parameters, answers)
                        .exceptionally(failure -> ofFailure(failure)));
    }

    private Outcome ofFailure(Throwable failure) {
        if (Provider.cause(failure) instanceof RedisException) {
            return answers.storeUnavailable();
        }
        Kind kind = Provider.cause(failure) instanceof ProviderException known ? known.kind() : Kind.UNAVAILABLE;
        if (kind != Kind.REFUSED && !Provider.isAskerGone(failure)) {
            parts.provider.failed(failure);
        }
        return switch (kind) {
            case REFUSED -> answers.loginRefused();
            case UNFIT_TOKEN -> answers.unfitToken();
            case UNAVAILABLE -> answers.unavailable();
        };
    }

    /** Ends the session here and, where the provider has a way to, there: nobody who hangs or floods keeps a user from that. */
    private Outcome logout(Exchange exchange) {
        Outcome refusal = logoutCheck.refusal(exchange.request(), answers);
        if (refusal != null) {
            return refusal;
        }
        return Outcome.suspend(parts.store
                .read(exchange.request())
                .thenCompose(found -> ended(exchange, found))
                .handle((found, failure) -> failure == null
                        ? Outcome.then(there ->
                                leave(there, found.map(Session::identity).orElse("")))
                        : answers.storeUnavailable()));
    }

    private CompletionStage<Optional<Session>> ended(Exchange exchange, Optional<Session> found) {
        if (found.isEmpty() || exchange.isShadow()) {
            return CompletableFuture.completedFuture(found);
        }
        parts.renewals.loggedOut(found.get());
        return parts.store.end(found.get()).thenApply(done -> found);
    }

    private Outcome leave(Exchange exchange, String identity) {
        CompletableFuture<Provider.Known> known = parts.provider.known(exchange).toCompletableFuture();
        if (known.isCompletedExceptionally()) {
            return goodbye(null, identity);
        }
        if (known.isDone()) {
            return Outcome.suspend(known.thenApply(provided -> goodbye(provided.metadata(), identity)));
        }
        Outcome parked = park(
                exchange,
                () -> known.handle(
                        (provided, failure) -> goodbye(provided == null ? null : provided.metadata(), identity)));
        return parked instanceof Outcome.Suspend ? parked : goodbye(null, identity);
    }

    private Outcome goodbye(@Nullable Metadata provided, String identity) {
        Url there = provided == null ? null : provided.endSession();
        String location = paths.afterLogout;
        if (there != null) {
            FormText query = new FormText();
            if (!identity.isEmpty() && identity.length() <= HINT_CHARS_MAX) {
                query.add("id_token_hint", identity);
            }
            query.add("client_id", parts.client.id()).add("post_logout_redirect_uri", paths.afterLogout);
            location = Client.withQuery(there, query);
        }
        return Answers.redirect(303, location, parts.cookies.endSession());
    }

    /** Parks it until that is there, or turns it away where too much waits. */
    private Outcome park(Exchange exchange, Supplier<CompletionStage<Outcome>> work) {
        IpAddress client = exchange.clientIp();
        @Nullable Outcome refusal = answers.overload().refusal(waiting.enter(client));
        if (refusal != null) {
            return refusal;
        }
        boolean begun = false;
        try {
            CompletionStage<Outcome> waits = work.get();
            begun = true;
            return Outcome.suspend(waits.whenComplete((outcome, failure) -> waiting.leave(client)));
        } finally {
            if (!begun) {
                waiting.leave(client);
            }
        }
    }
}
