package net.oooops.sigma.balance;

/** Nodes at random, each as often as its weight says. A look at half the nodes for each pick, unless all weights are equal. */
final class RandomChoice implements Balancer {
    private final int[] weights;
    private final boolean equal;
    private final long total;
    private long state;

    RandomChoice(int[] weights, int seed) {
        this.weights = Weights.checked(weights);
        equal = Weights.areEqual(weights);
        total = Weights.total(weights);
        // Spread, since Workers' seeds are neighbours; never 0, where xorshift stays.
        state = (seed + 1L) * 0x9E3779B97F4A7C15L | 1;
    }

    @Override
    public int pick(Tried tried) {
        int node = equal ? (int) below(weights.length) : at(below(total), Tried.NONE);
        return tried.contains(node) ? pickAmongOthers(tried) : node;
    }

    private int pickAmongOthers(Tried tried) {
        long left = 0;
        for (int node = 0; node < weights.length; node++) {
            left += tried.contains(node) ? 0 : weights[node];
        }
        return left == 0 ? -1 : at(below(left), tried);
    }

    /** The node in whose part of the weights laid end to end {@code point} lies. */
    private int at(long point, Tried tried) {
        long left = point;
        int node = 0;
        while (tried.contains(node) || left >= weights[node]) {
            left -= tried.contains(node) ? 0 : weights[node];
            node++;
        }
        return node;
    }

    /** A number from 0 to below {@code bound}, by xorshift64* (Marsaglia, Vigna). */
    private long below(long bound) {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return Math.unsignedMultiplyHigh(state * 0x2545F4914F6CDD1DL, bound);
    }
}
