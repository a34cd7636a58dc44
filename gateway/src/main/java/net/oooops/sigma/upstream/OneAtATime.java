package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.AtomicInteger;

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
        boolean done = false;
        try {
            int seen;
            do {
                seen = asked.get();
                work.run();
            } while (!asked.compareAndSet(seen, 0));
            done = true;
        } finally {
            if (!done) {
                // Else nobody would be at it any more.
                asked.set(0);
            }
        }
        return true;
    }
}
