package net.oooops.sigma.balance;

/** Checks of weights, the same for all strategies. */
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
