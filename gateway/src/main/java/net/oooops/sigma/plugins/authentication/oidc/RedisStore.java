package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.plugins.authentication.oidc.ProviderException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that lie in Redis, sealed; a browser has in its cookie where, and how often its session was renewed. So they may be larger than a cookie, and one
 * that was ended is over for whoever has a copy of the cookie. Who reads Redis learns nothing of them, nor which browser's they are; who writes there makes
 * none, no one another's, and none that is older than the browser's cookie.
 */
final class RedisStore implements SessionStore {
    /** How large a session may be, in bytes: its tokens go to nodes in fields. */
    static final int SESSION_BYTES_MAX = 64 << 10;

    /** For how long it is waited at most for a renewal that another gateway is at. */
    static final Duration WAIT_MAX = Duration.ofSeconds(20);

    private static final String PREFIX = "sigma:oidc:";
    private static final int PLACE_BYTES = 32;
    private static final long LOOK_MILLIS_FIRST = 20;
    private static final long LOOK_MILLIS_MAX = 200;

    private final Redis redis;
    private final Cookies cookies;
    private final Sealers sealers;
    private final Sessions sessions;
    private final Leases leases;
    /** This one, until it is closed, and each turn. */
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * What is sealed.
     *
     * @param places where sessions lie
     * @param sessions themselves
     */
    record Sealers(Sealer places, Sealer sessions) {}

    /** Where a session lies, and how often it was renewed when a browser was told so. */
    private record Place(String name, long renewalsCount) {
        static @Nullable Place of(byte[] plain) {
            String text = new String(plain, StandardCharsets.US_ASCII);
            int end = text.indexOf(' ');
            try {
                return end < 0 ? null : new Place(text.substring(0, end), Long.parseLong(text.substring(end + 1)));
            } catch (NumberFormatException e) {
                return null;
            }
        }

        static byte[] bytes(Session session) {
            return (session.place() + ' ' + session.renewalsCount()).getBytes(StandardCharsets.US_ASCII);
        }
    }

    /**
     * Those of one client at one provider.
     *
     * @param turnLimit how long a renewal takes at most
     */
    RedisStore(Redis redis, Cookies cookies, Sealers sealers, Sessions sessions, Duration turnLimit) {
        this.redis = redis;
        this.cookies = cookies;
        this.sealers = sealers;
        this.sessions = sessions;
        this.leases = new Leases(redis, turnLimit);
    }

    @Override
    public CompletableFuture<Optional<Session>> read(RequestHead request) {
        String sealed = cookies.session(request);
        byte[] opened = sealed == null || sealed.isEmpty() ? null : sealers.places.open(sealed);
        Place place = opened == null ? null : Place.of(opened);
        return place == null ? CompletableFuture.completedFuture(Optional.empty()) : read(place);
    }

    private CompletableFuture<Optional<Session>> read(Place place) {
        return redis.get(key(place.name))
                .thenApply(found -> found.flatMap(value -> opened(place, value)))
                .toCompletableFuture();
    }

    private Optional<Session> opened(Place place, byte[] value) {
        byte[] plain = sealers.sessions.open(new String(value, StandardCharsets.US_ASCII));
        return plain == null
                ? Optional.empty()
                : sessions.opened(plain)
                        .filter(session ->
                                session.place().equals(place.name) && session.renewalsCount() >= place.renewalsCount);
    }

    @Override
    public CompletableFuture<Optional<Kept>> keep(Session session) {
        Session placed = session.at(Sealer.text(Sealer.random(PLACE_BYTES)));
        String value = sealed(placed);
        if (value == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Duration lifetime = Duration.ofSeconds(sessions.secondsLeft(placed));
        return redis.set(key(placed.place()), value.getBytes(StandardCharsets.US_ASCII), lifetime)
                .thenApply(done -> Optional.of(kept(placed)))
                .toCompletableFuture();
    }

    private @Nullable String sealed(Session session) {
        byte[] plain = session.toBytes();
        return plain == null || plain.length > SESSION_BYTES_MAX ? null : sealers.sessions.seal(plain);
    }

    private Kept kept(Session session) {
        Field cookie = cookies.setSession(sealers.places.seal(Place.bytes(session)), sessions.secondsLeft(session));
        return new Kept(session, cookie);
    }

    /**
     * Who asks for a turn.
     *
     * @param untilNanos how long it is waited for
     */
    private record Asking(Session stale, String owner, long untilNanos, CompletableFuture<Turn> turn) {
        Place place() {
            return new Place(stale.place(), stale.renewalsCount());
        }
    }

    @Override
    public CompletableFuture<Turn> turn(Session stale, String owner) {
        users.incrementAndGet();
        long waitNanos =
                Math.min(WAIT_MAX.toNanos(), leases.lifetime().plusSeconds(1).toNanos());
        CompletableFuture<Turn> turn = new CompletableFuture<>();
        look(new Asking(stale, owner, System.nanoTime() + waitNanos, turn), LOOK_MILLIS_FIRST);
        return turn.whenComplete((found, failure) -> {
            if (!(found instanceof Turn.Own)) {
                leave();
            }
        });
    }

    private void look(Asking asking, long pauseMillis) {
        Place place = asking.place();
        leases.take(key(place.name), asking.owner)
                .thenCompose(taken -> read(place).thenAccept(found -> found(asking, found, taken, pauseMillis)))
                .exceptionally(failure -> {
                    leases.giveBack(key(place.name), asking.owner);
                    asking.turn.completeExceptionally(failure);
                    return null;
                });
    }

    /** Once the lease is taken, another one may have renewed it just before; until it is, somebody is at it. */
    private void found(Asking asking, Optional<Session> found, boolean taken, long pauseMillis) {
        Session now = found.orElseThrow(() -> new ProviderException(Kind.REFUSED, "the session was ended"));
        if (!now.isStale(sessions.nowMillis())) {
            if (taken) {
                leases.giveBack(key(now.place()), asking.owner);
            }
            asking.turn.complete(new Turn.Done(kept(now)));
        } else if (taken) {
            asking.turn.complete(new Turn.Own(now, asking.owner));
        } else if (System.nanoTime() - asking.untilNanos < 0) {
            CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> look(asking, Math.min(LOOK_MILLIS_MAX, pauseMillis * 2)));
        } else {
            throw new CompletionException(
                    new RedisException(RedisException.Kind.TIMEOUT, "another gateway renews the session for too long"));
        }
    }

    @Override
    public CompletableFuture<Optional<Kept>> keep(Session renewed, Turn.Own turn) {
        String value = sealed(renewed);
        if (value == null) {
            giveBack(turn);
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return leases.keep(key(renewed.place()), turn.owner(), value, sessions.secondsLeft(renewed))
                .thenApply(end -> Optional.of(kept(renewed, end)))
                .whenComplete((kept, failure) -> leave())
                .toCompletableFuture();
    }

    private Kept kept(Session renewed, Leases.End end) {
        return switch (end) {
            case KEPT -> kept(renewed);
            case GONE -> throw new ProviderException(Kind.REFUSED, "the session was ended meanwhile");
            case OTHERS ->
                throw new CompletionException(
                        new RedisException(RedisException.Kind.REFUSED, "another gateway renews the session by now"));
        };
    }

    @Override
    public void giveBack(Turn.Own turn) {
        leases.giveBack(key(turn.session().place()), turn.owner());
        leave();
    }

    @Override
    public CompletableFuture<@Nullable Void> end(Session session) {
        return redis.delete(key(session.place()))
                .<@Nullable Void>thenApply(was -> null)
                .toCompletableFuture();
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            redis.close();
        }
    }

    /** A token that is spent is worth nothing unless what came of it is kept. */
    @Override
    public void close() {
        if (users.get() > 1) {
            CompletableFuture.delayedExecutor(leases.lifetime().toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(redis::close);
        }
        leave();
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
