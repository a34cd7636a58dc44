package net.oooops.sigma.balance;

import net.oooops.sigma.config.HashConfig;

/**
 * The node that a part of the request leads to, the same on every Worker and after every restart; unless it has too much to do:
 * then the key's next node, and so on (consistent hashing with bounded loads, Mirrokni, Thorup and Zadimoghaddam). Too much is
 * more than {@code max-load} times the average in flight of the nodes that can be picked, by weight and rounded up; yet no node
 * that has fewer than {@link #ALWAYS} gives any key away, since where little is going on nothing would be won.
 *
 * <p>What has no key is balanced in turn.
 */
final class ConsistentHash implements Balancer {
    /** So many requests of one Worker a node takes whatever the average is. */
    static final int ALWAYS = 4;

    private final Rendezvous nodes;
    private final RoundRobin turns;
    private final boolean bySource;
    private final double maxLoad;
    private final int[] inFlight;
    private final Busy busy = new Busy();

    ConsistentHash(Rendezvous nodes, RoundRobin turns, HashConfig hash) {
        this.nodes = nodes;
        this.turns = turns;
        this.bySource = hash.by() == HashConfig.By.CLIENT_ADDRESS;
        this.maxLoad = hash.maxLoad();
        this.inFlight = new int[nodes.count()];
    }

    @Override
    public int pick(PickContext context) {
        long key = key(context);
        return !bySource && key == KeyHash.NONE ? turns.pick(context) : pick(key, context);
    }

    @Override
    public int keyed(PickContext context) {
        long key = key(context);
        return !bySource && key == KeyHash.NONE ? -1 : pick(key, context);
    }

    private long key(PickContext context) {
        return bySource ? KeyHash.mix(context.source()) : context.key();
    }

    private int pick(long key, PickContext context) {
        int first = nodes.best(key, context);
        if (first < 0 || maxLoad == HashConfig.UNBOUNDED || inFlight[first] < ALWAYS) {
            return first;
        }
        busy.measure(context);
        int next = busy.excludes(first) ? nodes.best(key, busy) : first;
        busy.context = PickContext.NONE;
        // There is always one: together they may have more than they do.
        return next < 0 ? first : next;
    }

    @Override
    public void started(int node) {
        inFlight[node]++;
    }

    @Override
    public void ended(int node) {
        Weights.checkStarted(node, inFlight[node]);
        inFlight[node]--;
    }

    /** The nodes that were tried or have too much to do; made once. */
    private final class Busy implements PickContext {
        private PickContext context = PickContext.NONE;
        private double perWeight;

        void measure(PickContext others) {
            context = others;
            // With the request that a node is looked for.
            long all = 1;
            long weights = 0;
            for (int node = 0; node < inFlight.length; node++) {
                if (!others.excludes(node)) {
                    all += inFlight[node];
                    weights += nodes.weight(node);
                }
            }
            perWeight = maxLoad * all / weights;
        }

        @Override
        public boolean excludes(int node) {
            return context.excludes(node)
                    || inFlight[node] >= Math.max(ALWAYS, Math.ceil(perWeight * nodes.weight(node)));
        }
    }
}
