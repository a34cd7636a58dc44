package net.oooops.sigma.session;

/** Whether a counter has moved, and then not for 1200 ms. */
final class Standstill {
    private long count;
    private long sinceNanos = System.nanoTime();

    boolean seen(long now) {
        if (now != count) {
            count = now;
            sinceNanos = System.nanoTime();
        }
        return count > 0 && System.nanoTime() - sinceNanos > 1_200_000_000;
    }
}
