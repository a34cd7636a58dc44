package net.oooops.sigma.plugin;

import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins ask without an exchange: one for all plugins of a process, which stays at reloads. What they have leads to an id, and that to whatever
 * it stands for now.
 *
 * <p>Any thread.
 */
public final class Callees {
    private volatile @Nullable Way way;

    /** How requests get out. */
    @FunctionalInterface
    public interface Way {
        /**
         * Sends one. Doesn't wait.
         *
         * @param number of who asks, by which it is spread over what there is
         * @param answer to be completed with what comes of it; where it is completed before, nobody waits for that any more
         */
        void ask(int number, String proxyPassId, Callout callout, CompletableFuture<Response> answer);
    }

    /** From now on there is one. */
    public void lead(Way by) {
        way = by;
    }

    /** Null before the gateway has any. */
    @Nullable Way way() {
        return way;
    }
}
