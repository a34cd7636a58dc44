package net.oooops.sigma.balance;

/** Checks of weights and counts, the same for all strategies. */
final class Weights {
    private Weights() {}

    /** A copy, each of them at least 1. */
    static int[] checked(int[] weights) {
        if (weights.length == 0) {
            throw new IllegalArgumentException("nodes: 0 (expected: >= 1)");
        }
        for (int weight : weights) {
            if (weight < 1) {
                throw new IllegalArgumentException("weight: " + weight + " (expected: >= 1)");
            }
        }
        return weights.clone();
    }

    /** That a node on which something ended had something to end. */
    static void checkStarted(int node, int inFlight) {
        if (inFlight == 0) {
            throw new IllegalStateException("node " + node + ": ended more often than started");
        }
    }

    static boolean areEqual(int[] weights) {
        for (int weight : weights) {
            if (weight != weights[0]) {
                return false;
            }
        }
        return true;
    }

    static long total(int[] weights) {
        long total = 0;
        for (int weight : weights) {
            total += weight;
        }
        return total;
    }
}
