package net.oooops.sigma.tls;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What was replaced, and is given back some time later: a Worker may be about to begin a handshake with it.
 *
 * <p>Any thread, but one at a time adds.
 */
final class Retired<T> {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<T> release;
    private final Queue<Kept<T>> all = new ConcurrentLinkedQueue<>();

    private record Kept<T>(T what, long nanos) {}

    Retired(Consumer<T> release) {
        this.release = release;
    }

    /** One was replaced; those for which it was long ago are given back. */
    void add(T replaced) {
        long now = System.nanoTime();
        Kept<T> eldest = all.peek();
        while (eldest != null && now - eldest.nanos() > KEPT_NANOS) {
            releaseFirst();
            eldest = all.peek();
        }
        all.add(new Kept<>(replaced, now));
    }

    /** Gives all back. */
    void close() {
        while (!all.isEmpty()) {
            releaseFirst();
        }
    }

    private void releaseFirst() {
        Kept<T> first = all.poll();
        if (first != null) {
            release.accept(first.what());
        }
    }
}
