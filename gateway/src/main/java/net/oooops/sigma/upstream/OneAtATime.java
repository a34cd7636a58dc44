package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Has something done by one thread at a time: where another one is at it, that one does it once more.
 *
 * <p>Any thread; never waits.
 */
final class OneAtATime {
    /** How often it was asked for since nobody was at it: who makes it 1 does the work. */
    private final AtomicInteger asked = new AtomicInteger();

    /** Does the work, or leaves it to who is at it. Returns whether it was done here. What it throws is thrown on; the next one begins anew. */
    boolean run(Runnable work) {
        if (asked.getAndIncrement() != 0) {
            return false;
        }
        int seen;
        @Nullable RuntimeException failed;
        @Nullable Error broken;
        do {
            seen = asked.get();
            failed = null;
            broken = null;
            try {
                work.run();
            } catch (RuntimeException e) {
                failed = e;
            } catch (Error e) {
                broken = e;
            }
            // Whatever it threw: who asked meanwhile has left it to this one.
        } while (!asked.compareAndSet(seen, 0));
        if (failed != null) {
            throw failed;
        }
        if (broken != null) {
            throw broken;
        }
        return true;
    }
}
