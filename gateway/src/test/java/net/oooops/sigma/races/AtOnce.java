package net.oooops.sigma.races;

import java.util.ArrayList;
import java.util.List;

/** Threads of a model. What one of them throws fails it. */
public final class AtOnce {
    private AtOnce() {}

    /** What a thread does. */
    @FunctionalInterface
    public interface Part {
        /** Does it. */
        void run() throws Exception;
    }

    /** Does all of that at once, each part on a thread of its own, and waits for all. */
    public static void run(Part... parts) {
        List<Thread> threads = new ArrayList<>();
        for (Part part : parts) {
            threads.add(new Thread(() -> {
                try {
                    part.run();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            try {
                each.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Fails a model where that doesn't hold. */
    public static void require(boolean holds, String expected) {
        if (!holds) {
            throw new AssertionError(expected);
        }
    }
}
