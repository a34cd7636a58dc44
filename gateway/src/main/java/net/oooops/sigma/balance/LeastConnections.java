package net.oooops.sigma.balance;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The node with the fewest requests in flight for its weight. Nodes that have equally few take turns, as in {@link
 * RoundRobin}, so that weights count when little is going on too. Two looks at every node for each pick.
 *
 * <p>A request that failed counts on against its node, less and less: else the node that fails at once would always have the
 * fewest. After 5 s it counts for a third, after 12 s no more. A node's failures never count for more than everything that is in
 * flight: that is enough to keep it out, and forgotten in good time.
 */
final class LeastConnections implements Balancer {
    private static final double FADING_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** What is left of failures is nothing from here on. */
    private static final double FORGOTTEN = 0.1;
    /** What failures may count for where nothing is in flight. */
    private static final int FAILURES_MAX_LEAST = 4;

    private final int[] weights;
    private final int[] inFlight;
    /** What the failures of each node count for, at {@link #fadedNanos}. */
    private final double[] failures;

    private final RoundRobin turns;
    private final LongSupplier clockNanos;
    private final Busier busier = new Busier();
    private final int leastWeight;
    private int inFlightOfAll;
    private int failingCount;
    private long fadedNanos;

    LeastConnections(int[] weights, int seed, LongSupplier clockNanos) {
        this.weights = Weights.checked(weights);
        this.clockNanos = clockNanos;
        leastWeight = Arrays.stream(weights).min().orElseThrow();
        inFlight = new int[weights.length];
        failures = new double[weights.length];
        turns = new RoundRobin(weights, seed);
    }

    @Override
    public int pick(PickContext context) {
        fade();
        int least = -1;
        for (int node = 0; node < weights.length; node++) {
            if (!context.excludes(node) && (least < 0 || isBusier(least, node))) {
                least = node;
            }
        }
        if (least < 0) {
            return -1;
        }
        busier.least = least;
        busier.context = context;
        int node = turns.pick(busier);
        busier.context = PickContext.NONE;
        return node;
    }

    @Override
    public void started(int node) {
        inFlight[node]++;
        inFlightOfAll++;
    }

    @Override
    public void heard(int node, Heard heard, long afterNanos) {
        if (heard != Heard.FAILURE && heard != Heard.BREAK) {
            return;
        }
        fade();
        if (failingCount == 0) {
            fadedNanos = clockNanos.getAsLong();
        }
        failingCount += failures[node] == 0 ? 1 : 0;
        double most = ((double) inFlightOfAll + FAILURES_MAX_LEAST) * weights[node] / leastWeight;
        failures[node] = Math.min(failures[node] + 1, most);
    }

    @Override
    public void ended(int node) {
        Weights.checkStarted(node, inFlight[node]);
        inFlight[node]--;
        inFlightOfAll--;
    }

    /** Brings the failures of all nodes to the present. */
    private void fade() {
        if (failingCount == 0) {
            return;
        }
        long now = clockNanos.getAsLong();
        if (now == fadedNanos) {
            return;
        }
        double left = Math.exp((fadedNanos - now) / FADING_NANOS);
        fadedNanos = now;
        for (int node = 0; node < failures.length; node++) {
            if (failures[node] > 0) {
                failures[node] *= left;
                if (failures[node] < FORGOTTEN) {
                    failures[node] = 0;
                    failingCount--;
                }
            }
        }
    }

    /** Whether {@code one} has more in flight for its weight than {@code other}. */
    private boolean isBusier(int one, int other) {
        return (inFlight[one] + failures[one]) * weights[other] > (inFlight[other] + failures[other]) * weights[one];
    }

    /** The nodes that were tried or are busier than the least busy; made once. */
    private final class Busier implements PickContext {
        private int least;
        private PickContext context = PickContext.NONE;

        @Override
        public boolean excludes(int node) {
            return context.excludes(node) || isBusier(node, least);
        }
    }
}
