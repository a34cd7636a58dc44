package net.oooops.sigma.plugins.authentication.jwt;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import net.oooops.sigma.api.Outcome;
import org.jspecify.annotations.Nullable;

/** Where signatures are verified that take long: on half of the cores, for all places of sigma.json together. Safe for use from any thread. */
final class Verifying {
    private static final int WAITING_MAX = 1_000;
    private static final ThreadPoolExecutor THREADS = threads();

    private Verifying() {}

    private static ThreadPoolExecutor threads() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count,
                count,
                10,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                Thread.ofPlatform().daemon().name("sigma-signature-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * Verifies a token as soon as it is its turn.
     *
     * @param then what follows
     * @return null where too many wait
     */
    static @Nullable Outcome verify(KeySet keys, Token token, Function<KeySet.Verdict, Outcome> then) {
        CompletableFuture<Outcome> next = new CompletableFuture<>();
        try {
            THREADS.execute(() -> {
                try {
                    next.complete(then.apply(keys.verify(token)));
                } catch (RuntimeException | Error e) {
                    next.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            return null;
        }
        return Outcome.suspend(next);
    }
}
