package net.oooops.sigma.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/** Blocking plugin calls of all Workers: each runs on a virtual thread of its own, as many at once as a limit allows. */
public final class BlockingCalls {
    private final AtomicInteger running = new AtomicInteger();

    /** Takes a place among those that run at once; to be given back by {@link #ended}. Any thread. */
    public boolean tryBegin(int callsMax) {
        if (running.incrementAndGet() > callsMax) {
            running.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Runs a call that has its place. */
    public void start(Runnable call) {
        Thread.ofVirtual().name("plugin").start(call);
    }

    public void ended() {
        running.decrementAndGet();
    }
}
