package net.oooops.sigma.plugins.authentication.oidc;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** Sessions that lie sealed in cookies: nobody has to remember, or be asked for, anything. */
final class CookieStore implements SessionStore {
    private final Cookies cookies;
    private final Sealer sealer;
    private final Sessions sessions;

    CookieStore(Cookies cookies, Sealer sealer, Sessions sessions) {
        this.cookies = cookies;
        this.sealer = sealer;
        this.sessions = sessions;
    }

    @Override
    public CompletableFuture<Optional<Session>> read(RequestHead request) {
        String sealed = cookies.session(request);
        byte[] plain = sealed == null || sealed.isEmpty() ? null : sealer.open(sealed);
        return CompletableFuture.completedFuture(plain == null ? Optional.empty() : sessions.opened(plain));
    }

    @Override
    public CompletableFuture<Optional<Kept>> keep(Session session) {
        Kept whole = fitting(session);
        boolean more = whole == null && !session.identity().isEmpty();
        return CompletableFuture.completedFuture(
                Optional.ofNullable(more ? fitting(session.withoutIdentity()) : whole));
    }

    private @Nullable Kept fitting(Session session) {
        byte[] plain = session.toBytes();
        if (plain == null) {
            return null;
        }
        long seconds = sessions.secondsLeft(session);
        Field cookie = cookies.setSession(sealer.seal(plain), seconds);
        return Cookies.fits(cookie) ? new Kept(session, cookie) : null;
    }

    /** Others don't know of it: in this process {@link RenewalMemory} sees to it that one is renewed once. */
    @Override
    public CompletableFuture<Turn> turn(Session stale, String owner) {
        return CompletableFuture.completedFuture(new Turn.Own(stale, owner));
    }

    @Override
    public CompletableFuture<Optional<Kept>> keep(Session renewed, Turn.Own turn) {
        return keep(renewed);
    }

    @Override
    public void giveBack(Turn.Own turn) {}

    /** The browser alone has it. */
    @Override
    public CompletableFuture<@Nullable Void> end(Session session) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
}
