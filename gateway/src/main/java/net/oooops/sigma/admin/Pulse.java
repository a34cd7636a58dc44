package net.oooops.sigma.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices Workers whose event loops no longer come round. It is to look once a second; a Worker that didn't tick between ten looks in
 * a row is stalled. A look that comes late counts for nothing: then the whole process stood still, or had no processor.
 *
 * <p>One thread.
 */
final class Pulse {
    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** After so many looks without a tick a Worker is stalled. */
    static final int LOOKS_MAX = 10;

    private final List<LongSupplier> ticks;
    private final long[] seen;
    private final int[] looks;
    private long lookedNanos;

    Pulse(List<LongSupplier> ticks, long nowNanos) {
        this.ticks = ticks;
        this.seen = new long[ticks.size()];
        this.looks = new int[ticks.size()];
        this.lookedNanos = nowNanos;
    }

    /** Looks at all Workers. */
    void look(long nowNanos) {
        long sinceNanos = nowNanos - lookedNanos;
        lookedNanos = nowNanos;
        boolean counts = sinceNanos >= LOOK_NANOS / 2 && sinceNanos <= 2 * LOOK_NANOS;
        for (int i = 0; i < seen.length; i++) {
            long now = ticks.get(i).getAsLong();
            if (now != seen[i]) {
                seen[i] = now;
                looks[i] = 0;
            } else if (counts) {
                looks[i]++;
            }
        }
    }

    /** How many Workers there are. */
    int count() {
        return seen.length;
    }

    boolean isStalled(int worker) {
        return looks[worker] >= LOOKS_MAX;
    }

    /** The numbers of those that are. */
    List<Integer> stalled() {
        List<Integer> stalled = new ArrayList<>();
        for (int i = 0; i < looks.length; i++) {
            if (isStalled(i)) {
                stalled.add(i);
            }
        }
        return stalled;
    }
}
