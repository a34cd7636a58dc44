package net.oooops.sigma.upstream;

import java.util.concurrent.atomic.AtomicLong;

/** Whether the nodes of an {@link Upstream} are what their file or their name server says now. Any thread. */
public final class Freshness {
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean stale;

    /** The list of nodes couldn't be had: the last one stays. */
    public void failed() {
        failures.incrementAndGet();
        stale = true;
    }

    /** It is as it should be. */
    public void renewed() {
        stale = false;
    }

    /** Whether the last list stays because there is no other. */
    public boolean isStale() {
        return stale;
    }

    /** How often the list couldn't be had. */
    public long failureCount() {
        return failures.get();
    }
}
