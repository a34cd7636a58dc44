package net.oooops.sigma.balance;

/** The node that the client's address leads to: the same on every Worker and after every restart. See {@link Rendezvous}. */
final class SourceHash implements Balancer {
    private final Rendezvous nodes;

    SourceHash(Rendezvous nodes) {
        this.nodes = nodes;
    }

    @Override
    public int pick(Tried tried) {
        return nodes.best(KeyHash.mix(tried.source()), tried);
    }

    @Override
    public int keyed(Tried tried) {
        return pick(tried);
    }
}
