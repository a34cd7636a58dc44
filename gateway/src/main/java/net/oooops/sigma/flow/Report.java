package net.oooops.sigma.flow;

import net.oooops.sigma.balance.Balancer.Heard;

/**
 * What the balancer is told of one try on a node: that it began, once what came of it and after how long, and that it is over. Used
 * again for the next one.
 */
final class Report {
    private long startedNanos;
    private boolean awaited;

    /** A try on that node begins. */
    void begin(WorkerNode node) {
        startedNanos = node.worker().clock().nanos();
        awaited = true;
        node.began();
    }

    /** Whether it began so long ago, and nothing came of it yet. */
    boolean isWaiting(long nowNanos, long nanos) {
        return awaited && nowNanos - startedNanos >= nanos;
    }

    long startedNanos() {
        return startedNanos;
    }

    /** Something came of it. Only the first word counts, except that an answer may break off. */
    void heard(WorkerNode node, Heard heard) {
        if (awaited) {
            awaited = false;
            node.heard(heard, node.worker().clock().nanos() - startedNanos);
        } else if (heard == Heard.FAILURE) {
            node.heard(Heard.BREAK, 0);
        }
    }

    /** The node answered, or took the session; as {@link #heard}, and how long it took is shown. */
    void answered(WorkerNode node, Heard heard) {
        if (awaited) {
            node.tally().observed(node.worker().clock().nanos() - startedNanos);
        }
        heard(node, heard);
    }

    /** It is over; where nothing came of it, that isn't the node's doing. */
    void end(WorkerNode node) {
        heard(node, Heard.NOTHING);
        node.ended();
    }
}
