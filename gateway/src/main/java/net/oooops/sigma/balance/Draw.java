package net.oooops.sigma.balance;

import java.util.Arrays;

/** Draws nodes at random, each as often as its weight says. Belongs to one event loop. */
final class Draw {
    /** So often a node that can't be had is drawn again, before all that can be had are counted. */
    private static final int TRIES = 4;

    private final int[] weights;
    private final boolean equal;
    /** For each node its weight and that of all before it. */
    private final long[] sums;

    private long state;

    Draw(int[] weights, int seed) {
        this.weights = Weights.checked(weights);
        equal = Weights.areEqual(weights);
        sums = new long[weights.length];
        long sum = 0;
        for (int node = 0; node < weights.length; node++) {
            sum += weights[node];
            sums[node] = sum;
        }
        // Spread, since Workers' seeds are neighbours; never 0, where xorshift stays.
        state = (seed + 1L) * 0x9E3779B97F4A7C15L | 1;
    }

    /** A node that is neither in {@code context} nor {@code but}, or -1 where there is none. */
    int next(PickContext context, int but) {
        for (int i = 0; i < TRIES; i++) {
            int node = equal ? (int) below(weights.length) : at(below(sums[sums.length - 1]));
            if (node != but && !context.excludes(node)) {
                return node;
            }
        }
        return nextOfOthers(context, but);
    }

    private int at(long point) {
        int found = Arrays.binarySearch(sums, point);
        // A sum itself is the first point of the next node.
        return found >= 0 ? found + 1 : -found - 1;
    }

    private int nextOfOthers(PickContext context, int but) {
        long left = 0;
        for (int node = 0; node < weights.length; node++) {
            left += node == but || context.excludes(node) ? 0 : weights[node];
        }
        if (left == 0) {
            return -1;
        }
        long point = below(left);
        for (int node = 0; node < weights.length; node++) {
            if (node != but && !context.excludes(node)) {
                point -= weights[node];
                if (point < 0) {
                    return node;
                }
            }
        }
        return -1;
    }

    /** A number from 0 to below {@code bound}, by xorshift64* (Marsaglia, Vigna). */
    private long below(long bound) {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return Math.unsignedMultiplyHigh(state * 0x2545F4914F6CDD1DL, bound);
    }
}
