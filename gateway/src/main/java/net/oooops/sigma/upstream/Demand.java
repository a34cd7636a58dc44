package net.oooops.sigma.upstream;

import java.util.List;

/**
 * What clients ask of an Upstream's nodes.
 *
 * @param requests how many requests of clients were given to nodes, however often each was sent
 * @param answers how many answers have begun
 * @param inFlight how many requests are at nodes now, or wait for a connection to one
 * @param nanos when that was, or over which time
 */
record Demand(long requests, long answers, long inFlight, long nanos) {
    /** Since those nodes are there. */
    static Demand of(List<Node> nodes, long nowNanos) {
        long requests = 0;
        long answers = 0;
        long inFlight = 0;
        for (Node node : nodes) {
            for (NodeTally tally : node.tallies()) {
                requests += tally.firstTries();
                answers += tally.answers();
                inFlight += tally.inFlight();
            }
        }
        return new Demand(requests, answers, inFlight, nowNanos);
    }

    /** What was asked since then; nothing where nodes are gone that had more to do than all others since. */
    Demand since(Demand before) {
        return new Demand(
                Math.max(0, requests - before.requests),
                Math.max(0, answers - before.answers),
                Math.max(0, inFlight),
                nanos - before.nanos);
    }
}
