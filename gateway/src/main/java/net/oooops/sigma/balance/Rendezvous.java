package net.oooops.sigma.balance;

import java.util.List;

/**
 * Rendezvous hashing (Thaler and Ravishankar): each node has a score for each key, and the one with the best takes it. So a node
 * that is added takes over its share and nothing else moves, and the keys of a node that is gone, or can't be picked, are spread
 * over the others by their weights. Unlike a ring or Maglev's table it shares out exactly and keeps nothing but the names; it
 * costs a look at every node for each pick.
 */
final class Rendezvous {
    private static final double UNIT = 0x1p-53;

    private final long[] names;
    private final int[] weights;
    private final boolean equal;

    /** @param names of the nodes, by which they are known again whatever their order */
    Rendezvous(List<String> names, int[] weights) {
        this.weights = Weights.checked(weights);
        this.names = names.stream()
                .mapToLong(name -> KeyHash.mix(KeyHash.add(KeyHash.BEGIN, name)))
                .toArray();
        equal = Weights.areEqual(weights);
    }

    int count() {
        return names.length;
    }

    int weight(int node) {
        return weights[node];
    }

    /** The node with the best score of those that aren't in {@code context}, or -1. */
    int best(long key, PickContext context) {
        int best = -1;
        double most = 0;
        for (int node = 0; node < names.length; node++) {
            if (context.excludes(node)) {
                continue;
            }
            // From above 0 to below 1.
            double point = ((KeyHash.mix(names[node] ^ key) >>> 11) + 0.5) * UNIT;
            if (best >= 0 && (equal ? point : weights[node] / (1 - point)) <= most) {
                // With weights, that is as much as its score can be: -ln p >= 1 - p. Most logarithms are saved so.
                continue;
            }
            // With weights: exponential draws, the least of which is a node's with the chance of its weight in their
            // sum.
            double score = equal ? point : weights[node] / -Math.log(point);
            if (best < 0 || score > most) {
                best = node;
                most = score;
            }
        }
        return best;
    }
}
