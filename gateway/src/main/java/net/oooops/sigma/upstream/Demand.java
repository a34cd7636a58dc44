package net.oooops.sigma.upstream;

import java.util.List;

/**
 * What clients ask of an Upstream's nodes.
 *
 * @param requests how many requests of clients were given to nodes, however often each was sent
 * @param answers how many answers have begun
 * @param failures how many answers told of an error, or didn't come
 * @param waitedNanos how long all those together were waited for that have begun
 * @param nanos when that was, or over which time
 */
record Demand(long requests, long answers, long failures, long waitedNanos, long nanos) {
    /** Since those nodes are there. */
    static Demand of(List<Node> nodes, long nowNanos) {
        long requests = 0;
        long answers = 0;
        long failures = 0;
        long waitedNanos = 0;
        for (Node node : nodes) {
            for (NodeTally tally : node.tallies()) {
                requests += tally.firstTries();
                answers += tally.answers();
                failures += tally.failures();
                waitedNanos += tally.latencyNanos();
            }
        }
        return new Demand(requests, answers, failures, waitedNanos, nowNanos);
    }

    /** What was asked since then; nothing where nodes are gone that had more to do than all others since. */
    Demand since(Demand before) {
        return new Demand(
                Math.max(0, requests - before.requests),
                Math.max(0, answers - before.answers),
                Math.max(0, failures - before.failures),
                Math.max(0, waitedNanos - before.waitedNanos),
                nanos - before.nanos);
    }

    /** How many requests waited for their answer at a time, of those that got one. What goes on behind its beginning doesn't count. */
    long waiting() {
        return waitedNanos / nanos;
    }
}
