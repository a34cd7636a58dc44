package net.oooops.sigma.plugins.authentication;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Credentials that are being verified off the event loops: equal ones that come meanwhile wait for the same verification. It belongs to what they are
 * verified with, the users of a file or a set of keys: another one has another, so that nobody waits for what an earlier one says. Safe for use from
 * any thread.
 *
 * @param <V> what a verification comes to
 */
public final class UnderWay<V> {
    private final BoundedWork bounds;
    private final Overload overload;
    private final ConcurrentHashMap<Digest, CompletableFuture<V>> byDigest = new ConcurrentHashMap<>();

    /**
     * A verification.
     *
     * @param threads where it is done
     */
    public record Verification<V>(Executor threads, Supplier<V> steps) {}

    public UnderWay(BoundedWork bounds, Overload overload) {
        this.bounds = bounds;
        this.overload = overload;
    }

    /**
     * Parks an exchange until its credentials are verified, or turns it away.
     *
     * @param digest of the credentials
     * @param verification that is begun unless one of the same is under way
     * @param then makes an outcome of what it comes to
     */
    public Outcome park(
            Digest digest, IpAddress client, Verification<V> verification, Function<? super V, Outcome> then) {
        CompletableFuture<V> found = byDigest.get(digest);
        if (found == null) {
            Outcome refusal = overload.refusal(bounds.enter(client));
            if (refusal != null) {
                return refusal;
            }
            found = begin(digest, client, verification);
        }
        return Outcome.suspend(found.thenApply(then));
    }

    private CompletableFuture<V> begin(Digest digest, IpAddress client, Verification<V> verification) {
        CompletableFuture<V> next = new CompletableFuture<>();
        CompletableFuture<V> before = byDigest.putIfAbsent(digest, next);
        if (before != null) {
            bounds.leave(client);
            return before;
        }
        try {
            bounds.execute(client, verification.threads, () -> verify(digest, verification, next));
        } catch (RuntimeException | Error e) {
            end(digest, next, null, e);
        }
        return next;
    }

    private void verify(Digest digest, Verification<V> verification, CompletableFuture<V> next) {
        try {
            end(digest, next, verification.steps.get(), null);
        } catch (RuntimeException | Error e) {
            end(digest, next, null, e);
        }
    }

    private void end(Digest digest, CompletableFuture<V> next, @Nullable V found, @Nullable Throwable failure) {
        byDigest.remove(digest, next);
        if (failure != null) {
            next.completeExceptionally(failure);
        } else {
            next.complete(found);
        }
    }
}
