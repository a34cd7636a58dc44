package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import net.oooops.sigma.runtime.Worker;

/** Has all Workers do something, each on its event loop, and waits for that. */
final class OnLoops {
    private static final long LIMIT_SECONDS = 30;

    private OnLoops() {}

    /**
     * Has each of them do it.
     *
     * @throws StartException where one fails, or takes longer than half a minute: it may do it later
     */
    static void each(List<Worker> workers, Consumer<Worker> what) throws StartException {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Worker worker : workers) {
            all.add(CompletableFuture.runAsync(() -> what.accept(worker), worker.eventLoop()));
        }
        for (CompletableFuture<Void> each : all) {
            await(each);
        }
    }

    private static void await(CompletableFuture<Void> done) throws StartException {
        try {
            done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while waiting for the event loops", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException("the event loops don't follow: " + e, e);
        }
    }
}
