package net.oooops.sigma.balance;

/**
 * Nodes in turn, each as often as its weight says and as evenly spread as can be: 5, 1, 1 gives a a b a c a a.
 *
 * <p>Equal weights are a plain rotation. Other weights cost a look at every node: each gains its weight, the one that has most is
 * picked and loses what all gained together (the algorithm that nginx made known).
 */
final class RoundRobin implements Balancer {
    /** Bounds the work of starting at another place. */
    private static final int TURNS_AHEAD_MAX = 1024;

    private final int[] weights;
    private final boolean equal;
    private final long[] gained;
    private int next;
    private int spare;

    RoundRobin(int[] weights, int seed) {
        this.weights = Weights.checked(weights);
        equal = Weights.areEqual(weights);
        gained = new long[weights.length];
        next = Math.floorMod(seed, weights.length);
        spare = next;
        if (!equal) {
            long turnsAhead = Math.floorMod((long) seed, Math.min(Weights.total(weights), TURNS_AHEAD_MAX));
            for (long i = 0; i < turnsAhead; i++) {
                pickSmooth(PickContext.NONE);
            }
        }
    }

    @Override
    public int pick(PickContext context) {
        return equal ? pickNext(context) : pickSmooth(context);
    }

    private int pickNext(PickContext context) {
        int node = next;
        next = after(node);
        return context.excludes(node) ? pickSpare(context) : node;
    }

    /** The turns of nodes that can't take them go to the others in turn, not all to the one that comes next. */
    private int pickSpare(PickContext context) {
        for (int i = 0; i < weights.length; i++) {
            int node = spare;
            spare = after(node);
            if (!context.excludes(node)) {
                return node;
            }
        }
        return -1;
    }

    private int after(int node) {
        return node + 1 == weights.length ? 0 : node + 1;
    }

    private int pickSmooth(PickContext context) {
        int best = -1;
        long total = 0;
        for (int node = 0; node < weights.length; node++) {
            if (context.excludes(node)) {
                continue;
            }
            gained[node] += weights[node];
            total += weights[node];
            if (best < 0 || gained[node] > gained[best]) {
                best = node;
            }
        }
        if (best >= 0) {
            gained[best] -= total;
        }
        return best;
    }
}
