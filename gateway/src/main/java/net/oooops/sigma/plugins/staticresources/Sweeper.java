package net.oooops.sigma.plugins.staticresources;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Has caches swept once in a while, on a thread that looks at folders, as long as anything is in them. Safe for use from any thread. */
final class Sweeper {
    private static final long PERIOD_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);
    private static final long PERIOD_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    private final Cache.Pair caches;
    private final Lookers lookers;
    private final LongSupplier nanos;
    private final Executor later;
    private final AtomicBoolean due = new AtomicBoolean();

    Sweeper(Cache.Pair caches, Lookers lookers, LongSupplier nanos) {
        this.caches = caches;
        this.lookers = lookers;
        this.nanos = nanos;
        long periodNanos = Math.clamp(caches.there().validNanos(), PERIOD_NANOS_MIN, PERIOD_NANOS_MAX);
        this.later = CompletableFuture.delayedExecutor(periodNanos, TimeUnit.NANOSECONDS, this::execute);
    }

    /** Something was put into one of them. */
    void put() {
        if (!due.get() && due.compareAndSet(false, true)) {
            later.execute(this::sweep);
        }
    }

    private void execute(Runnable sweep) {
        try {
            lookers.execute(sweep);
        } catch (RejectedExecutionException e) {
            // They have too much to do, or are closed: what is put next asks again.
            due.set(false);
        }
    }

    private void sweep() {
        long now = nanos.getAsLong();
        due.set(false);
        boolean there = caches.there().sweep(now);
        if (caches.absent().sweep(now) || there) {
            put();
        }
    }
}
