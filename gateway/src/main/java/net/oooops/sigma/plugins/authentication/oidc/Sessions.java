package net.oooops.sigma.plugins.authentication.oidc;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/** Makes sessions of what the provider gives. Immutable. */
final class Sessions {
    private static final Duration FRESH_UNSAID = Duration.ofMinutes(5);
    private static final long LEEWAY_MILLIS_MAX = 30_000;

    private final Terms terms;
    private final InstantSource clock;

    /**
     * How long they last, and what they hold.
     *
     * @param lifetime from the login on
     * @param withAccess whether they hold access tokens, for nodes
     */
    record Terms(Duration lifetime, boolean withAccess) {}

    Sessions(Terms terms, InstantSource clock) {
        this.terms = terms;
        this.clock = clock;
    }

    long nowMillis() {
        return clock.millis();
    }

    /** What was written of one; empty where it is over, or was none. */
    Optional<Session> opened(byte[] plain) {
        Session session = Session.of(plain);
        return session == null || session.isOver(nowMillis()) ? Optional.empty() : Optional.of(session);
    }

    /** For how many seconds it may last, one at least. */
    long secondsLeft(Session session) {
        return Math.max(1, (session.endMillis() - nowMillis()) / 1_000);
    }

    /** One of a user who has just logged in. */
    Session begin(IdTokens.Identity who, Tokens tokens) {
        long now = nowMillis();
        return of(who, tokens, tokens.refresh(), orEmpty(tokens.identity()), now + terms.lifetime.toMillis());
    }

    /** The same one with other tokens. */
    Session renewed(Session before, IdTokens.Identity who, Tokens tokens) {
        String refresh = tokens.refresh() == null ? before.refresh() : tokens.refresh();
        String identity = tokens.identity() == null ? before.identity() : tokens.identity();
        return of(who, tokens, refresh, identity, before.endMillis()).after(before);
    }

    private Session of(
            IdTokens.Identity who, Tokens tokens, @Nullable String refresh, String identity, long lastMillis) {
        if (terms.withAccess && !Field.isValue("Bearer " + tokens.access())) {
            throw new ProviderException(Kind.UNFIT_TOKEN, "an access token that can't stand in a field");
        }
        long now = nowMillis();
        long good = tokens.seconds() * 1_000;
        // What nobody can renew is no use to nodes once it has expired.
        long end = terms.withAccess && refresh == null && good > 0 ? Math.min(lastMillis, now + good) : lastMillis;
        long fresh = now + (good == 0 ? FRESH_UNSAID.toMillis() : good - Math.min(LEEWAY_MILLIS_MAX, good / 10));
        String access = terms.withAccess ? tokens.access() : "";
        long until = good == 0 ? 0 : now + good;
        return new Session("", who.subject(), who.consumer(), access, orEmpty(refresh), identity, end, fresh, until, 0);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
