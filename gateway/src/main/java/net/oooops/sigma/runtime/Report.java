package net.oooops.sigma.runtime;

import net.oooops.sigma.balance.Balancer.Heard;

/**
 * What the balancer is told of one try on a node: that it began, once what came of it and after how long, and that it is over. Used
 * again for the next one.
 */
public final class Report {
    private long startedNanos;
    private boolean awaited;

    /** A try on that node begins; the first one or another. */
    public void begin(WorkerNode node, boolean first) {
        startedNanos = node.loop().clock().nanos();
        awaited = true;
        node.began(first);
    }

    /** Whether it began so long ago, and nothing came of it yet. */
    public boolean isWaiting(long nowNanos, long nanos) {
        return awaited && nowNanos - startedNanos >= nanos;
    }

    public long startedNanos() {
        return startedNanos;
    }

    /** Something came of it. Only the first word counts, except that an answer may break off. */
    public void heard(WorkerNode node, Heard heard) {
        if (awaited) {
            awaited = false;
            node.heard(heard, node.loop().clock().nanos() - startedNanos);
        } else if (heard == Heard.FAILURE) {
            node.heard(Heard.BREAK, 0);
        }
    }

    /** The node answered, or took the session; as {@link #heard}, and how long it took is shown. */
    public void answered(WorkerNode node, Heard heard) {
        if (awaited) {
            node.tally().observed(node.loop().clock().nanos() - startedNanos);
        }
        heard(node, heard);
    }

    /** It is over; where nothing came of it, that isn't the node's doing. */
    public void end(WorkerNode node) {
        heard(node, Heard.NOTHING);
        node.ended();
    }
}
