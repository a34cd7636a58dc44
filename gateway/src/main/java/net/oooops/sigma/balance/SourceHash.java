package net.oooops.sigma.balance;

import java.util.List;

/**
 * The node that the client's address leads to: the same on every Worker and after every restart. Rendezvous hashing: each node has
 * a number for each source, and the one with the best takes it. So a node that is added takes over its share and nothing else
 * moves, and the sources of a node that is gone, or was tried in vain, are spread over the others by their weights. A look at every
 * node for each pick.
 */
final class SourceHash implements Balancer {
    private static final double UNIT = 0x1p-53;

    private final long[] names;
    private final int[] weights;
    private final boolean equal;

    /** @param names of the nodes, by which they are known again whatever their order */
    SourceHash(List<String> names, int[] weights) {
        this.weights = Weights.checked(weights);
        this.names = names.stream().mapToLong(SourceHash::hash).toArray();
        equal = Weights.areEqual(weights);
    }

    @Override
    public int pick(Tried tried) {
        long source = mix(tried.source());
        int best = -1;
        double most = 0;
        for (int node = 0; node < names.length; node++) {
            if (tried.contains(node)) {
                continue;
            }
            // From above 0 to below 1.
            double point = ((mix(names[node] ^ source) >>> 11) + 0.5) * UNIT;
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

    /** FNV-1a over the characters, then mixed: names often differ in one digit only. */
    private static long hash(String name) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001B3L;
        }
        return mix(hash);
    }

    /** The finalizer of SplitMix64: each bit of {@code value} moves half of the result's. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
