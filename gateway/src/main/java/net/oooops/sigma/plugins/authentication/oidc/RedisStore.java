package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that lie in Redis, sealed; a browser has in its cookie where. So they may be larger than a cookie, and one that was ended is over for whoever has
 * a copy of the cookie. Who reads Redis learns nothing of them, nor which browser's they are; who writes there makes none, and no one another's.
 */
final class RedisStore implements SessionStore {
    /** How large a session may be, in bytes: its tokens go to nodes in fields. */
    static final int SESSION_BYTES_MAX = 64 << 10;

    private static final String PREFIX = "sigma:oidc:";
    private static final int PLACE_BYTES = 32;

    private final Redis redis;
    private final Cookies cookies;
    private final Sealer places;
    private final Sealer sealer;
    private final Sessions sessions;

    /**
     * Those of one client at one provider.
     *
     * @param places seals where sessions lie
     * @param sealer seals sessions
     */
    RedisStore(Redis redis, Cookies cookies, Sealer places, Sealer sealer, Sessions sessions) {
        this.redis = redis;
        this.cookies = cookies;
        this.places = places;
        this.sealer = sealer;
        this.sessions = sessions;
    }

    @Override
    public CompletableFuture<Optional<Session>> read(RequestHead request) {
        String sealed = cookies.session(request);
        byte[] opened = sealed == null || sealed.isEmpty() ? null : places.open(sealed);
        if (opened == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        String place = new String(opened, StandardCharsets.US_ASCII);
        return redis.get(key(place))
                .thenApply(found -> found.flatMap(value -> opened(place, value)))
                .toCompletableFuture();
    }

    private Optional<Session> opened(String place, byte[] value) {
        byte[] plain = sealer.open(new String(value, StandardCharsets.US_ASCII));
        return plain == null
                ? Optional.empty()
                : sessions.opened(plain).filter(session -> session.place().equals(place));
    }

    @Override
    public CompletableFuture<Optional<Kept>> keep(Session session) {
        Session placed = session.place().isEmpty() ? session.at(Sealer.text(Sealer.random(PLACE_BYTES))) : session;
        byte[] plain = placed.toBytes();
        if (plain == null || plain.length > SESSION_BYTES_MAX) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        long seconds = sessions.secondsLeft(placed);
        byte[] value = sealer.seal(plain).getBytes(StandardCharsets.US_ASCII);
        Field cookie = cookies.setSession(places.seal(placed.place().getBytes(StandardCharsets.US_ASCII)), seconds);
        return redis.set(key(placed.place()), value, Duration.ofSeconds(seconds))
                .thenApply(done -> Optional.of(new Kept(placed, cookie)))
                .toCompletableFuture();
    }

    @Override
    public CompletableFuture<@Nullable Void> end(Session session) {
        return redis.delete(key(session.place()))
                .<@Nullable Void>thenApply(was -> null)
                .toCompletableFuture();
    }

    @Override
    public void close() {
        redis.close();
    }

    /** Not the place itself, which a browser's cookie has. */
    private static String key(String place) {
        try {
            return PREFIX
                    + Sealer.text(
                            MessageDigest.getInstance("SHA-256").digest(place.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
