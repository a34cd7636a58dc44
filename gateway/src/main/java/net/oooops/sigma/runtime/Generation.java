package net.oooops.sigma.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One configuration in use: how many Listeners, exchanges, sessions and calls follow it, on each Worker, from when it takes effect until the last
 * of them has ended after another one took its place. What only it has may be closed then.
 *
 * <p>Any thread; what each Worker has of it is a {@link Followers} of its own.
 */
public final class Generation {
    private final int number;
    private final AtomicInteger workersLeft;
    private final Runnable onLeft;

    /**
     * @param number of this one, from 1
     * @param workerCount how many Workers follow it
     * @param onLeft called once, on the event loop of the last Worker on which nothing follows it any more
     */
    public Generation(int number, int workerCount, Runnable onLeft) {
        this.number = number;
        this.workersLeft = new AtomicInteger(workerCount);
        this.onLeft = onLeft;
    }

    /** Its number, from 1: how often a configuration took effect until then. */
    public int number() {
        return number;
    }

    /** What one Worker has of it; to be made once for each. */
    public Followers followers() {
        return new Followers(this);
    }

    private void leftByWorker() {
        if (workersLeft.decrementAndGet() == 0) {
            onLeft.run();
        }
    }

    /**
     * The Listeners, exchanges, sessions and calls of one Worker that follow a configuration. What begins by a Listener that is gone is one of those
     * that it is among.
     *
     * <p>Called on the Worker's event loop only.
     */
    public static final class Followers {
        private final Generation generation;
        private int count;
        private boolean replaced;
        private boolean over;

        private Followers(Generation generation) {
            this.generation = generation;
        }

        /** One begins. To be followed by one {@link #leave}. */
        public Followers enter() {
            count++;
            return this;
        }

        /** One has ended. */
        public void leave() {
            count--;
            endIfOver();
        }

        /** None begins any more. To be called once. */
        public void replaced() {
            replaced = true;
            endIfOver();
        }

        /** Once, whatever comes later, as it may by a fault of Sigma's own. */
        private void endIfOver() {
            if (replaced && count == 0 && !over) {
                over = true;
                generation.leftByWorker();
            }
        }
    }
}
