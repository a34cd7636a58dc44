package net.oooops.sigma.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;

/** What became of commands. */
public final class Asked {
    private Asked() {}

    /** The answer. */
    public static <T extends @Nullable Object> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(Await.DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("no answer", e);
        }
    }

    /** Why there is none. */
    static Kind failure(CompletionStage<?> stage) {
        try {
            Object answer = stage.toCompletableFuture().get(Await.DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("an answer: " + answer);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisException failed) {
                return failed.kind();
            }
            throw new AssertionError("it failed otherwise", e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("nothing came of it", e);
        }
    }
}
