package net.oooops.sigma.plugins.compression.coding;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Coders of one kind that are used again, since each costs native memory and the time to clear it. Holds a few; others are closed.
 *
 * <p>Safe for use from any thread, and nobody waits.
 */
public final class Coders {
    private static final int SPARE_MAX = 32;

    private final Supplier<Coder> make;
    private final AtomicReferenceArray<@Nullable Coder> spare = new AtomicReferenceArray<>(SPARE_MAX);
    private volatile boolean closed;

    /** Coders that are made so. */
    public Coders(Supplier<Coder> make) {
        this.make = make;
    }

    /** One for a body. */
    public Coder take() {
        int first = first();
        for (int i = 0; i < SPARE_MAX; i++) {
            int slot = (first + i) % SPARE_MAX;
            Coder taken = spare.getPlain(slot) == null ? null : spare.getAndSet(slot, null);
            if (taken != null) {
                return taken;
            }
        }
        return make.get();
    }

    /** It isn't needed any more. */
    public void give(Coder taken) {
        taken.reset();
        int first = first();
        for (int i = 0; i < SPARE_MAX && !closed; i++) {
            if (spare.compareAndSet((first + i) % SPARE_MAX, null, taken)) {
                if (closed) {
                    close();
                }
                return;
            }
        }
        taken.close();
    }

    /** Threads begin at different places. */
    private static int first() {
        return (int) (Thread.currentThread().threadId() % SPARE_MAX);
    }

    /** All that aren't in use are closed, and those that are will be. */
    public void close() {
        closed = true;
        for (int i = 0; i < SPARE_MAX; i++) {
            Coder taken = spare.getAndSet(i, null);
            if (taken != null) {
                taken.close();
            }
        }
    }
}
