package net.oooops.sigma.balance;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Two nodes at random, each as often as its weight says, and of these the one where less waiting is to be expected (the power of
 * two random choices; peak EWMA as in Finagle). That is
 *
 * <pre>
 *   latency × (requests in flight for its weight + 1) / (share of answers that aren't failures)²
 * </pre>
 *
 * <ul>
 *   <li>The latency rises at once with a slower answer, goes slowly towards faster ones, and fades while there are none, so that
 *       a node which was slow is tried again.
 *   <li>A node of which nothing is known is tried as soon as it is drawn, with one request; until that is answered it is taken
 *       for as fast as nodes of this upstream are.
 *   <li>A node that has requests to answer and says nothing gets slower by the time that passes, up to ten times of what it was:
 *       one that hangs gets little before the first timeout. No more than that, since a long poll is silent too.
 *   <li>A failure takes at least as long as an answer of this node, or of this upstream, has lately taken, and raises the share of
 *       failures by a quarter of what is missing to all. An answer lowers it by a quarter, and it fades as latencies do. So a node
 *       that fails now and then gets a little less, and one that always fails a try now and then. An answer that breaks off has
 *       lowered nothing: one that always breaks off is no better.
 * </ul>
 *
 * <p>Weights count for the draw and for what is in flight, not for the latency: so shares go by weight where little is going on
 * and where much is.
 */
final class TwoChoices implements Balancer {
    private static final double FADING_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final double SILENCE_MAX = 10;
    private static final double FAILURE_GAIN = 0.25;
    /** With it a node that always fails is as good as one a million times as slow. */
    private static final double FAILURES_MAX = 0.999;
    /** How far one answer moves what is usual in this upstream. */
    private static final double USUAL_GAIN = 1 / 32.0;

    private final Draw draw;
    private final LongSupplier clockNanos;
    /** What one request in flight counts for: less than 1 on nodes of more than the average weight. */
    private final double[] loads;

    private final int[] inFlight;
    /** Those in flight that nothing was heard of. */
    private final int[] waiting;
    /** At {@link #heardNanos}; 0 where none is known. */
    private final double[] latencyNanos;
    /** The share of failures, at {@link #heardNanos}. */
    private final double[] failures;

    private final long[] heardNanos;
    /** Since when nothing is heard of a node that has something to answer. */
    private final long[] silentSinceNanos;

    /** What a latency is in this upstream, on average; 0 while none is known. */
    private double usualNanos;

    TwoChoices(int[] weights, int seed, LongSupplier clockNanos) {
        this.draw = new Draw(weights, seed);
        this.clockNanos = clockNanos;
        double average = (double) Weights.total(weights) / weights.length;
        loads = Arrays.stream(weights).mapToDouble(weight -> average / weight).toArray();
        inFlight = new int[weights.length];
        waiting = new int[weights.length];
        latencyNanos = new double[weights.length];
        failures = new double[weights.length];
        heardNanos = new long[weights.length];
        silentSinceNanos = new long[weights.length];
    }

    @Override
    public int pick(PickContext context) {
        int one = draw.next(context, -1);
        int other = one < 0 ? -1 : draw.next(context, one);
        if (other < 0) {
            return one;
        }
        long now = clockNanos.getAsLong();
        return cost(other, now) < cost(one, now) ? other : one;
    }

    private double cost(int node, long now) {
        double load = inFlight[node] * loads[node] + 1;
        double latency = latencyNanos[node];
        if (latency == 0) {
            return inFlight[node] == 0 ? 0 : Math.max(1, usualNanos) * load;
        }
        double left = left(node, now);
        double expected = latency * left;
        if (waiting[node] > 0) {
            expected = Math.max(expected, Math.min((double) (now - silentSinceNanos[node]), latency * SILENCE_MAX));
        }
        double answered = 1 - failures[node] * left;
        return expected * load / (answered * answered);
    }

    /** What is left of that which was known when the node was last heard of. */
    private double left(int node, long now) {
        long since = now - heardNanos[node];
        return since == 0 ? 1 : Math.exp(-since / FADING_NANOS);
    }

    @Override
    public void started(int node) {
        inFlight[node]++;
        if (waiting[node] == 0) {
            silentSinceNanos[node] = clockNanos.getAsLong();
        }
        waiting[node]++;
    }

    @Override
    public void heard(int node, Heard heard, long afterNanos) {
        long now = clockNanos.getAsLong();
        double latency = Math.max(1, afterNanos);
        switch (heard) {
            case ANSWER -> {
                learn(node, now, latency);
                failures[node] *= 1 - FAILURE_GAIN;
                usualNanos += usualNanos == 0 ? latency : (latency - usualNanos) * USUAL_GAIN;
            }
            case FAILURE -> {
                learn(node, now, Math.max(latency, Math.max(latencyNanos[node], usualNanos)));
                fail(node);
            }
            case NOTHING -> {
                // No more than that it would have taken longer is known.
                double known = latencyNanos[node] == 0 ? usualNanos : latencyNanos[node] * left(node, now);
                if (afterNanos > known) {
                    learn(node, now, latency);
                }
            }
            case BREAK -> {
                learn(node, now, Math.max(latencyNanos[node], usualNanos));
                // Its beginning was taken for an answer.
                failures[node] /= 1 - FAILURE_GAIN;
                fail(node);
            }
        }
        if (heard != Heard.BREAK) {
            waiting[node]--;
            silentSinceNanos[node] = heard == Heard.NOTHING ? silentSinceNanos[node] : now;
        }
    }

    @Override
    public void alive(int node) {
        if (waiting[node] > 0) {
            silentSinceNanos[node] = clockNanos.getAsLong();
        }
    }

    private void learn(int node, long now, double latency) {
        double left = left(node, now);
        double faded = latencyNanos[node] * left;
        latencyNanos[node] = latency >= faded ? latency : faded + latency * (1 - left);
        failures[node] *= left;
        heardNanos[node] = now;
    }

    private void fail(int node) {
        failures[node] = Math.min(FAILURES_MAX, failures[node] + (1 - failures[node]) * FAILURE_GAIN);
    }

    @Override
    public void ended(int node) {
        Weights.checkStarted(node, inFlight[node]);
        inFlight[node]--;
    }
}
