package net.oooops.sigma.plugins.authentication.oidc;

import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.Remembered;
import net.oooops.sigma.plugins.authentication.oidc.Renewals.End;
import net.oooops.sigma.plugins.authentication.oidc.Renewals.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions are being renewed, and what came of those that were a short while ago. All places of sigma.json that know the same sessions have the same
 * one, and so has who takes their place at a reload: a refresh token is used once, wherever its session is met.
 *
 * <p>Safe for use from any thread.
 */
final class RenewalMemory {
    /** How many sessions are remembered that were renewed, or logged out, each for {@link #HOLDS_NANOS}. */
    static final int REMEMBERED_MAX = 2_000;

    private static final int OWNER_BYTES = 16;
    private static final long HOLDS_NANOS = Duration.ofSeconds(60).toNanos();
    /** A provider that doesn't answer isn't asked for each request; one that is well again is, soon. */
    private static final long FAILURE_HOLDS_NANOS = Duration.ofSeconds(1).toNanos();

    /** By whose sessions they are; those that nobody has any more go. */
    private static final ConcurrentHashMap<Digest, WeakReference<RenewalMemory>> ALL = new ConcurrentHashMap<>();

    private final Remembered<Renewal> remembered = new Remembered<>(REMEMBERED_MAX);
    private final Remembered<Long> loggedOut = new Remembered<>(REMEMBERED_MAX);
    private final Remembered<Session> unkept = new Remembered<>(REMEMBERED_MAX);
    private final ConcurrentHashMap<Digest, CompletableFuture<Renewal>> underWay = new ConcurrentHashMap<>();
    private final String owner = Sealer.text(Sealer.random(OWNER_BYTES));

    private RenewalMemory() {}

    /** The one of all who know those sessions. */
    static RenewalMemory of(String whose) {
        ALL.values().removeIf(each -> each.get() == null);
        RenewalMemory fresh = new RenewalMemory();
        WeakReference<RenewalMemory> held = ALL.merge(
                Digest.of(whose.getBytes(StandardCharsets.UTF_8)),
                new WeakReference<>(fresh),
                (before, next) -> before.get() == null ? next : before);
        RenewalMemory found = held.get();
        return found == null ? fresh : found;
    }

    /** By what others know who renews here. */
    String owner() {
        return owner;
    }

    /**
     * By what a session is known here: its refresh token, whose it is, and of which login: that is when it ends, which no renewal changes. Some
     * providers give the same refresh token at each login, and what has become of a session is nothing of the next one.
     */
    static Digest key(Session session) {
        String text =
                session.subject() + '\0' + session.place() + '\0' + session.endMillis() + '\0' + session.refresh();
        return Digest.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** What came of that one, where it still holds; else null. */
    @Nullable Renewal last(Digest key) {
        Renewal last = remembered.get(key);
        return last != null && isWithin(last.atNanos(), last.end() == End.UNKNOWN ? FAILURE_HOLDS_NANOS : HOLDS_NANOS)
                ? last
                : null;
    }

    private static boolean isWithin(long atNanos, long nanos) {
        return System.nanoTime() - atNanos < nanos;
    }

    /** Begins one, unless it is under way: then that, which is to be waited for; null: the caller is to ask. */
    @Nullable CompletableFuture<Renewal> begin(Digest key, CompletableFuture<Renewal> own) {
        return underWay.putIfAbsent(key, own);
    }

    /** Whether one has begun and hasn't come to its end. */
    boolean isUnderWay(Digest key) {
        return underWay.containsKey(key);
    }

    /** One that was begun has come to its end. Where that says nothing of the session, the next one begins anew. */
    void end(Digest key, CompletableFuture<Renewal> own, Renewal renewal) {
        if (renewal.end() != End.UNKEPT && renewal.end() != End.ASKER_GONE) {
            remembered.put(key, renewal);
            unkept.remove(key);
        }
        underWay.remove(key, own);
        own.complete(renewal);
    }

    /** That one was renewed to this, which isn't kept yet. */
    void unkept(Digest key, Session renewed) {
        unkept.put(key, renewed);
    }

    /** What that one was renewed to, where it couldn't be kept; null where it wasn't. */
    @Nullable Session unkept(Digest key) {
        return unkept.get(key);
    }

    /** The user of that one has logged out. */
    void logOut(Digest key) {
        loggedOut.put(key, System.nanoTime());
    }

    boolean isLoggedOut(Digest key) {
        Long at = loggedOut.get(key);
        return at != null && isWithin(at, HOLDS_NANOS);
    }
}
