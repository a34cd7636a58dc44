package net.oooops.sigma.exchange;

/** Whether a counter has moved, and then not for 600 ms. */
public final class Standstill {
    private long count;
    private long sinceNanos = System.nanoTime();

    /** Whether it hasn't moved for that long, now that it stands there. */
    public boolean seen(long now) {
        if (now != count) {
            count = now;
            sinceNanos = System.nanoTime();
        }
        return count > 0 && System.nanoTime() - sinceNanos > 600_000_000;
    }
}
