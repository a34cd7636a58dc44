package net.oooops.sigma.balance;

/** The node that the client's address leads to: the same on every Worker and after every restart. See {@link Rendezvous}. */
final class SourceHash implements Balancer {
    private final Rendezvous nodes;

    SourceHash(Rendezvous nodes) {
        this.nodes = nodes;
    }

    @Override
    public int pick(PickContext context) {
        return nodes.best(KeyHash.mix(context.source()), context);
    }

    @Override
    public int keyed(PickContext context) {
        return pick(context);
    }
}
