package net.oooops.sigma.cli;

import java.util.concurrent.LinkedBlockingQueue;

/**
 * What a gateway is asked for that may take its time, one after the other, on a thread of its own: to stop must be possible meanwhile.
 *
 * <p>Any thread.
 */
final class InTurn {
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

    /** The thread's name is for dumps. */
    void start(String name) {
        Thread.ofPlatform().daemon().name(name).start(this::work);
    }

    private void work() {
        while (true) {
            try {
                waiting.take().run();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** It is done after all that waits. */
    void add(Runnable what) {
        waiting.add(what);
    }

    /** The same, unless it waits already: however often it is asked for before it begins, it is done once. */
    void addOnce(Runnable what) {
        if (!waiting.contains(what)) {
            waiting.add(what);
        }
    }
}
