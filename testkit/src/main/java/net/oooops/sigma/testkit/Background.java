package net.oooops.sigma.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What goes on beside a test, on a virtual thread of its own. Any thread. */
public final class Background {
    /** What is done there. */
    public interface Work {
        /** Does it. */
        void run() throws Exception;
    }

    private Background() {}

    /** Begins it. What it throws is the cause of what its future ends with. */
    public static CompletableFuture<Void> run(Work work) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
    }
}
