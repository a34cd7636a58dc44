package net.oooops.sigma.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.snapshot.Held;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.upstream.Upstream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Snapshot that holds, and what those before it hold that exchanges still follow: each is ended after the last of them, on a thread of its own, since
 * plugins may take their time.
 *
 * <p>Any thread.
 */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final int workerCount;
    private final Consumer<Upstream> retire;
    private final ThreadFactory threads;
    private final Set<Held> followed = new LinkedHashSet<>();
    /** Threads that end what nothing follows any more. */
    private final Set<Thread> ending = ConcurrentHashMap.newKeySet();

    private Snapshot current;
    private Generation generation;

    /**
     * @param first holds at first
     * @param retire is given each Upstream that nothing leads to any more
     */
    Snapshots(Snapshot first, int workerCount, Consumer<Upstream> retire) {
        this(first, workerCount, retire, Thread.ofVirtual().name("sigma-retire").factory());
    }

    /** @param threads end what nothing follows any more */
    Snapshots(Snapshot first, int workerCount, Consumer<Upstream> retire, ThreadFactory threads) {
        this.workerCount = workerCount;
        this.retire = retire;
        this.threads = threads;
        this.current = first;
        this.generation = generation(1, first);
        followed.add(first.held());
    }

    private Generation generation(int number, Snapshot of) {
        Held held = of.held();
        return new Generation(
                number, workerCount, () -> threads.newThread(() -> leave(held)).start());
    }

    /** The one that holds. */
    synchronized Snapshot current() {
        return current;
    }

    /** Its generation. */
    synchronized Generation generation() {
        return generation;
    }

    /** How many there are: the one that holds, and those that are still followed. */
    synchronized int count() {
        return followed.size();
    }

    /** Another one takes its place. Returns its generation, which Workers are to follow. */
    synchronized Generation replace(Snapshot next) {
        current = next;
        followed.add(next.held());
        generation = generation(generation.number() + 1, next);
        return generation;
    }

    private void leave(Held held) {
        Thread thread = Thread.currentThread();
        ending.add(thread);
        try {
            left(held);
        } finally {
            ending.remove(thread);
        }
    }

    private void left(Held held) {
        synchronized (this) {
            if (!followed.remove(held)) {
                // The gateway has stopped meanwhile.
                return;
            }
        }
        held.end().forEach(this::retired);
    }

    private void retired(Upstream gone) {
        try {
            retire.accept(gone);
        } catch (RuntimeException | LinkageError e) {
            // The others are retired all the same.
            LOG.error("what a configuration has left behind could not be closed", e);
        }
    }

    /** The gateway ends: plugins do nothing by themselves any more. Waits a while for what they are in the middle of. */
    void endWork() {
        List<Held> all;
        synchronized (this) {
            all = new ArrayList<>(followed);
        }
        all.forEach(Held::endWork);
    }

    /** The gateway has stopped: closes them all, and waits for what is being closed, so far as that ends within the limit. */
    void close(Duration limit) {
        List<Held> all;
        Snapshot last;
        synchronized (this) {
            all = new ArrayList<>(followed);
            last = current;
            followed.clear();
        }
        all.forEach(Held::end);
        last.challenges().close();
        last.nodes().close();
        awaitEnded(limit);
    }

    private void awaitEnded(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (Thread each : ending) {
                each.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
