package net.oooops.sigma.proxy;

/**
 * How long the answers of one node have lately taken, in a small histogram: eight buckets for each doubling, so that what it tells is
 * right to an eighth. Half of what is known is forgotten in ten seconds, but never so much that nothing is known any more.
 *
 * <p>Belongs to one Worker.
 */
final class Latencies {
    /** Less than that is too little to tell what is usual. */
    static final int KNOWN_MIN = 20;

    private static final double PERCENTILE = 0.95;
    /** The last so many aren't forgotten before others take their place. */
    private static final int KEPT = 200;
    /** What is left after a tick: a half after ten seconds. */
    private static final double LEFT = 0.99309;

    private static final int STEPS_LOG2 = 3;
    private static final int STEPS = 1 << STEPS_LOG2;
    /** What is below 2^16 ns, 66 µs, is counted as that; what is above 2^37 ns, 137 s, likewise. */
    private static final int FIRST_LOG2 = 16;

    private static final int OCTAVES = 21;

    private final double[] counts = new double[OCTAVES * STEPS];
    private double total;
    private long percentileNanos;

    /** An answer took so long to begin. */
    void add(long nanos) {
        counts[bucket(nanos)]++;
        total++;
        if (percentileNanos == 0 && total >= KNOWN_MIN) {
            percentileNanos = find();
        }
    }

    /** Time has passed: called for each tick of the Worker's wheel. */
    void tick() {
        if (total > KEPT) {
            total = 0;
            for (int i = 0; i < counts.length; i++) {
                counts[i] *= LEFT;
                total += counts[i];
            }
        }
        if (percentileNanos > 0) {
            percentileNanos = find();
        }
    }

    /** What 95 of 100 answers took at most, in nanoseconds; 0 where too little is known. */
    long percentileNanos() {
        return percentileNanos;
    }

    private long find() {
        double wanted = total * PERCENTILE;
        double seen = 0;
        int bucket = -1;
        while (seen < wanted && bucket < counts.length - 1) {
            bucket++;
            seen += counts[bucket];
        }
        return upperNanos(Math.max(0, bucket));
    }

    private static int bucket(long nanos) {
        long bounded = Math.clamp(nanos, 1L << FIRST_LOG2, (1L << (FIRST_LOG2 + OCTAVES)) - 1);
        int log2 = Long.SIZE - 1 - Long.numberOfLeadingZeros(bounded);
        int step = (int) (bounded >>> (log2 - STEPS_LOG2)) & (STEPS - 1);
        return (log2 - FIRST_LOG2) * STEPS + step;
    }

    private static long upperNanos(int bucket) {
        int log2 = FIRST_LOG2 + bucket / STEPS;
        return (long) (STEPS + bucket % STEPS + 1) << (log2 - STEPS_LOG2);
    }
}
