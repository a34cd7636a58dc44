package net.oooops.sigma.plugins.authentication.oidc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Sends browsers to the provider to log in, and takes them back (OpenID Connect Core 1.0 section 3.1).
 *
 * <pre>
 *   request ─▶ begin ─▶ (provider) ─▶ end ─▶ tokens for the code ─▶ ID token ─▶ session ─▶ back to what was asked for
 * </pre>
 *
 * <p>Safe for use from any thread.
 */
final class Logins {
    /** Longer ones aren't come back to: they would not fit where they are carried. */
    private static final int TARGET_CHARS_MAX = 1_024;

    private final Provider provider;
    private final Client client;
    private final IdTokens idTokens;
    private final Sessions sessions;
    private final SessionStore store;
    private final Carried carried;
    private final PluginContext.Counter logins;

    /**
     * What browsers carry meanwhile, and where it comes to.
     *
     * @param sealer of what they carry
     * @param lifetime of a login
     */
    record Carried(Cookies cookies, Sealer sealer, Duration lifetime, SessionStore store) {}

    Logins(Provided provided, Sessions sessions, Carried carried, PluginContext.Counter logins) {
        this.provider = provided.provider();
        this.client = provided.client();
        this.idTokens = provided.idTokens();
        this.sessions = sessions;
        this.carried = carried;
        this.store = carried.store;
        this.logins = logins;
    }

    /**
     * Has a login of nobody sealed and opened: who does so first loads what the JDK has of ciphers and random numbers, some 100 ms, for which an event loop would stand still.
     */
    void rehearse() {
        LoginState login = LoginState.begin("", "/", 0);
        byte[] plain = carried.sealer.open(carried.sealer.seal(login.toBytes()));
        LoginState opened = plain == null ? null : LoginState.of(plain);
        if (opened == null || !opened.challenge().equals(login.challenge())) {
            throw new IllegalStateException("a login that is sealed isn't opened");
        }
    }

    /** Sends it to the provider. */
    Outcome begin(Exchange exchange, Metadata provided) {
        RequestHead request = exchange.request();
        String path = request.path();
        String target = request.query() == null ? path : path + "?" + request.query();
        boolean fits = target.startsWith("/") && target.length() <= TARGET_CHARS_MAX;
        String browser = carried.cookies.browser(request);
        LoginState login =
                LoginState.begin(browser, fits ? target : "/", sessions.nowMillis() + carried.lifetime.toMillis());
        String state = carried.sealer.seal(login.toBytes());
        return Answers.redirect(
                302,
                client.loginUrl(provided, state, login.nonce(), login.challenge()),
                carried.cookies.setBrowser(browser, carried.lifetime.toSeconds()));
    }

    /** What a browser that comes back was to carry; null where it is no login of its, or one that has taken too long. */
    @Nullable LoginState carriedBy(RequestHead request, Map<String, String> parameters) {
        String browser = carried.cookies.knownBrowser(request);
        byte[] plain = browser == null ? null : carried.sealer.open(parameters.getOrDefault("state", ""));
        LoginState login = plain == null ? null : LoginState.of(plain);
        boolean fits = login != null
                && browser != null
                && IdTokens.isSame(login.browser(), browser)
                && sessions.nowMillis() < login.untilMillis();
        return fits ? login : null;
    }

    /**
     * Ends it with what the provider has sent back.
     *
     * @return with a {@link ProviderException} where that comes to nothing
     */
    CompletionStage<Outcome> end(Exchange exchange, LoginState login, Map<String, String> parameters, Answers answers) {
        return provider.known(exchange)
                .thenCompose(known -> session(exchange, known, login, parameters))
                .thenCompose(store::keep)
                .thenApply(kept -> begun(kept, login, answers));
    }

    private CompletionStage<Session> session(
            Exchange exchange, Provider.Known known, LoginState login, Map<String, String> parameters) {
        String issuer = parameters.get("iss");
        boolean another = issuer == null ? known.metadata().saysIssuer() : !issuer.equals(provider.issuer());
        String code = parameters.getOrDefault("code", "");
        if (another || code.isEmpty()) {
            String why = another ? "an answer of another provider" : "no code";
            return CompletableFuture.failedFuture(new ProviderException(Kind.REFUSED, why));
        }
        return provider.ask(
                        exchange, known.metadata().token(), client.tokensFor(known.metadata(), code, login.verifier()))
                .thenApply(Tokens::of)
                .thenCompose(tokens -> idTokens.verified(exchange, known, tokens, login.nonce())
                        .thenApply(who -> sessions.begin(who, tokens)));
    }

    private Outcome begun(Optional<SessionStore.Kept> kept, LoginState login, Answers answers) {
        provider.worked();
        if (kept.isEmpty()) {
            return answers.sessionTooLarge();
        }
        logins.increment();
        return back(login, kept.get().cookie());
    }

    /** Sends it back to what it had asked for. */
    Outcome back(LoginState login, Field cookie) {
        return Answers.redirect(303, client.callback().server() + login.target(), cookie);
    }
}
