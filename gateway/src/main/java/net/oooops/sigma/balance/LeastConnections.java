package net.oooops.sigma.balance;

/**
 * The node with the fewest requests in flight for its weight. Nodes that have equally few take turns, as in {@link
 * RoundRobin}, so that weights count when little is going on too. Two looks at every node for each pick.
 */
final class LeastConnections implements Balancer {
    private final int[] weights;
    private final int[] inFlight;
    private final RoundRobin turns;
    private final Busier busier = new Busier();

    LeastConnections(int[] weights, int seed) {
        this.weights = Weights.checked(weights);
        inFlight = new int[weights.length];
        turns = new RoundRobin(weights, seed);
    }

    @Override
    public int pick(Tried tried) {
        int least = -1;
        for (int node = 0; node < weights.length; node++) {
            if (!tried.contains(node) && (least < 0 || isBusier(least, node))) {
                least = node;
            }
        }
        if (least < 0) {
            return -1;
        }
        busier.least = least;
        busier.tried = tried;
        int node = turns.pick(busier);
        busier.tried = Tried.NONE;
        return node;
    }

    @Override
    public void started(int node) {
        inFlight[node]++;
    }

    @Override
    public void ended(int node) {
        if (inFlight[node] == 0) {
            throw new IllegalStateException("node " + node + ": ended more often than started");
        }
        inFlight[node]--;
    }

    /** Whether {@code one} has more in flight for its weight than {@code other}. */
    private boolean isBusier(int one, int other) {
        return (long) inFlight[one] * weights[other] > (long) inFlight[other] * weights[one];
    }

    /** The nodes that were tried or are busier than the least busy; made once. */
    private final class Busier implements Tried {
        private int least;
        private Tried tried = Tried.NONE;

        @Override
        public boolean contains(int node) {
            return tried.contains(node) || isBusier(node, least);
        }
    }
}
